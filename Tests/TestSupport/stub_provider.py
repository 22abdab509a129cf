#!/usr/bin/env python3
"""A provider of addresses on loopback: speaks the shape of each provider and misbehaves as it is told.

Houses stand on a grid every 20 m; a provider is chosen by the first part of the path (/nominatim, /photon, ...).
Writes its port on the first line of standard output and ends when standard input closes.

POST /control  {"script": [behaviour, ...], "default": behaviour}: the next calls take the script's behaviours in turn,
               then the default holds. A behaviour is a name, or an object with "name" and what it needs.
GET  /log      every call: seconds since the start, provider, point, language, agent, behaviour.
POST /reset    forgets the calls and the script.
"""
import json
import math
import socket
import struct
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

METRES = 6371008.8 * math.pi / 180
STEP = 20 / METRES
COUNTRY = {"en": "Finland", "de": "Finnland", "ru": "Финляндия"}
STREET = {"en": "Test Street", "de": "Teststraße", "ru": "улица Тестовая"}

lock = threading.Lock()
state = {"script": [], "default": "ok", "log": [], "start": time.monotonic()}


def metres(a, b):
    p, q = math.radians(a[0]), math.radians(b[0])
    h = math.sin((q - p) / 2) ** 2 + math.cos(p) * math.cos(q) * math.sin(math.radians(b[1] - a[1]) / 2) ** 2
    return 2 * 6371008.8 * math.asin(math.sqrt(h))


def houses(point, count, radius):
    """The nearest houses of the grid, nearest first: (number, latitude, longitude, metres)."""
    row = round(point[0] / STEP)
    found = []
    for r in range(row - 8, row + 9):
        latitude = round(r * STEP, 7)
        wide = STEP / math.cos(math.radians(latitude))
        column = round(point[1] / wide)
        for c in range(column - 8, column + 9):
            place = (latitude, round(c * wide, 7))
            found.append((f"{r % 1000}-{c % 1000}", place[0], place[1], metres(point, place)))
    found.sort(key=lambda house: house[3])
    return [house for house in found if house[3] <= radius][:count]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *arguments):
        pass

    def answer(self, status, body, headers=None, kind="application/json; charset=utf-8"):
        if not isinstance(body, bytes):
            body = (body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with lock:
            if self.path == "/control":
                told = json.loads(body)
                state["script"] = told.get("script", [])
                state["default"] = told.get("default", "ok")
            elif self.path == "/reset":
                state.update(script=[], default="ok", log=[])
        self.answer(200, {})

    def do_GET(self):
        parts = urlsplit(self.path)
        if parts.path == "/log":
            with lock:
                return self.answer(200, state["log"])
        query = {name: values[0] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
        provider = parts.path.split("/")[1]
        point, language = asked(provider, parts.path, query)
        with lock:
            told = state["script"].pop(0) if state["script"] else state["default"]
            behaviour = told if isinstance(told, dict) else {"name": told}
            state["log"].append({
                "seconds": time.monotonic() - state["start"], "provider": provider,
                "latitude": point[0], "longitude": point[1], "language": language,
                "header": self.headers.get("Accept-Language", ""), "agent": self.headers.get("User-Agent", ""),
                "behaviour": behaviour["name"], "houses": wants_houses(provider, query),
            })
        self.behave(behaviour, provider, point, language, query)

    def behave(self, behaviour, provider, point, language, query):
        name = behaviour["name"]
        retry = {"Retry-After": str(behaviour["retry_after"])} if "retry_after" in behaviour else {}
        if "latency" in behaviour:
            time.sleep(behaviour["latency"])
        if name == "hang":
            time.sleep(behaviour.get("seconds", 30))
            self.close_connection = True
        elif name == "drip":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            try:
                for _ in range(1000):
                    self.wfile.write(b" ")
                    self.wfile.flush()
                    time.sleep(0.1)
            except OSError:
                pass
            self.close_connection = True
        elif name == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True
        elif name == "status":
            self.answer(behaviour["status"], behaviour.get("body", {"error": "told to"}), retry)
        elif name == "html":
            self.answer(behaviour["status"], "<html><h1>Access blocked</h1></html>", retry, kind="text/html")
        elif name == "body":
            self.answer(200, behaviour["body"], retry)
        elif name == "broken":
            self.answer(200, '{"features":[{"type":"Fea')
        elif name == "latin1":
            text = json.dumps(shape(provider, point, "de", query), ensure_ascii=False)
            self.answer(200, text.encode("latin-1", "replace"), kind="application/json; charset=iso-8859-1")
        elif name == "wrong-charset":
            text = json.dumps(shape(provider, point, "de", query), ensure_ascii=False)
            self.answer(200, text.encode("latin-1", "replace"), kind="application/json; charset=utf-8")
        elif name == "huge":
            try:
                self.answer(200, " " * 10_000_000 + "{}")
            except OSError:
                self.close_connection = True
        elif name == "nothing":
            status, body = nothing(provider)
            self.answer(status, body)
        else:
            self.answer(200, shape(provider, point, language, query, level=name))


def asked(provider, path, query):
    if provider == "yandex":
        longitude, latitude = query["geocode"].split(",")
        return (float(latitude), float(longitude)), query["lang"]
    if provider == "tomtom":
        latitude, longitude = path.rsplit("/", 1)[1].removesuffix(".json").split(",")
        return (float(latitude), float(longitude)), query["language"]
    if provider in ("google", "here", "opencage"):
        text = query.get("latlng") or query.get("at") or query.get("q")
        latitude, longitude = text.split(",")
        return (float(latitude), float(longitude)), query.get("language") or query.get("lang")
    latitude = query.get("lat") or query["point.lat"]
    longitude = query.get("lon") or query["point.lon"]
    return (float(latitude), float(longitude)), query.get("accept-language") or query.get("lang")


def wants_houses(provider, query):
    return query.get("layer") == "house" or query.get("layers") == "address" or query.get("kind") == "house" \
        or query.get("types") == "address"


def nothing(provider):
    return {
        "nominatim": (200, {"error": "Unable to geocode"}),
        "photon": (200, {"type": "FeatureCollection", "features": []}),
        "pelias": (200, {"type": "FeatureCollection", "features": []}),
        "yandex": (200, {"response": {"GeoObjectCollection": {
            "metaDataProperty": {"GeocoderResponseMetaData": {"found": "0"}}, "featureMember": []}}}),
        "opencage": (200, {"results": [], "status": {"code": 200, "message": "OK"}, "total_results": 0}),
        "locationiq": (404, {"error": "Unable to geocode"}),
        "google": (200, {"status": "ZERO_RESULTS", "results": []}),
        "here": (200, {"items": []}),
        "tomtom": (200, {"summary": {}, "addresses": []}),
    }[provider]


def shape(provider, point, language, query, level="ok"):
    """The answer in the provider's own shape; level is ok, street, place, country or name."""
    short = (language or "en")[:2]
    country, street = COUNTRY.get(short, "Finland"), STREET.get(short, "Test Street")
    town, region = "Helsinki", "Uusimaa"
    if level in ("street", "place", "country", "name"):
        if wants_houses(provider, query):
            return nothing(provider)[1]
        found = [(None, point[0], point[1], 0.0)]
    else:
        limit = int(query.get("limit") or query.get("size") or query.get("results") or 1)
        many = provider in ("photon", "pelias", "yandex", "here")
        radius = float(query.get("radius") or query.get("boundary.circle.radius") or 0.15) * 1000
        found = houses(point, limit if many else 1, radius if provider in ("photon", "pelias") else 1e9)
    if level != "ok" and level != "street":
        street = None
    if level == "country":
        town, region = None, None
    name = "Central Park" if level == "name" else None
    return {
        "nominatim": nominatim, "photon": photon, "pelias": pelias, "yandex": yandex, "opencage": opencage,
        "locationiq": locationiq, "google": google, "here": here, "tomtom": tomtom,
    }[provider](found, name, street, town, region, country)


def bare(members):
    return {key: value for key, value in members.items() if value is not None}


def kind(number, name, street, town):
    return "house" if number or name else "street" if street else "city" if town else "country"


def nominatim(found, name, street, town, region, country):
    number, latitude, longitude, _ = found[0]
    return {"type": "FeatureCollection", "geocoding": {"version": "0.1.0"}, "features": [{
        "type": "Feature", "geometry": {"type": "Point", "coordinates": [longitude, latitude]},
        "properties": {"geocoding": bare({
            "type": kind(number, name, street, town), "housenumber": number, "street": street, "name": name,
            "city": town, "state": region, "postcode": "00100", "country": country, "country_code": "fi"})}}]}


def photon(found, name, street, town, region, country):
    return {"type": "FeatureCollection", "features": [{
        "type": "Feature", "geometry": {"type": "Point", "coordinates": [house[2], house[1]]},
        "properties": bare({
            "type": kind(house[0], name, street, town), "housenumber": house[0], "street": street, "name": name,
            "city": town, "state": region, "postcode": "00100", "country": country, "countrycode": "FI"})}
        for house in found]}


def pelias(found, name, street, town, region, country):
    return {"type": "FeatureCollection", "geocoding": {}, "features": [{
        "type": "Feature", "geometry": {"type": "Point", "coordinates": [house[2], house[1]]},
        "properties": bare({
            "layer": "address" if house[0] else "venue" if name else "street" if street else "locality",
            "housenumber": house[0], "street": street, "name": name or street or town, "locality": town,
            "region": region, "postalcode": "00100", "country": country, "country_a": "FIN"})}
        for house in found]}


def yandex(found, name, street, town, region, country):
    members = []
    for number, latitude, longitude, _ in found:
        parts = [("country", country), ("province", "Federal District" if region else None), ("province", region),
                 ("locality", town), ("street", street), ("house", number), ("vegetation", name)]
        members.append({"GeoObject": {
            "metaDataProperty": {"GeocoderMetaData": {
                "precision": "exact", "kind": "house" if number else "street", "text": "not read",
                "Address": {"country_code": "FI", "postal_code": "00100", "formatted": "not read", "Components": [
                    {"kind": part[0], "name": part[1]} for part in parts if part[1]]}}},
            "name": name or street or town or country, "Point": {"pos": f"{longitude:.7f} {latitude:.7f}"}}})
    return {"response": {"GeoObjectCollection": {
        "metaDataProperty": {"GeocoderResponseMetaData": {"found": str(len(members))}}, "featureMember": members}}}


def opencage(found, name, street, town, region, country):
    number, latitude, longitude, _ = found[0]
    return {"status": {"code": 200, "message": "OK"}, "total_results": 1, "results": [{
        "formatted": "not read", "confidence": 9, "geometry": {"lat": latitude, "lng": longitude},
        "components": bare({
            "_type": "park" if name else "building", "park": name, "house_number": number, "road": street, "city": town,
            "state": region, "postcode": "00100", "country": country, "country_code": "fi"})}]}


def locationiq(found, name, street, town, region, country):
    number, latitude, longitude, _ = found[0]
    return {"lat": str(latitude), "lon": str(longitude), "display_name": "not read", "address": bare({
        "name": name, "house_number": number, "road": street, "city": town, "state": region, "postcode": "00100",
        "country": country, "country_code": "fi"})}


def google(found, name, street, town, region, country):
    number, latitude, longitude, _ = found[0]
    parts = [("street_number", number), ("route", street), ("park", name), ("locality", town),
             ("administrative_area_level_1", region), ("country", country), ("postal_code", "00100")]
    place = {"location": {"lat": latitude, "lng": longitude}, "location_type": "ROOFTOP"}
    return {"status": "OK", "results": [
        {"types": ["plus_code"], "formatted_address": "5W9X+2J", "address_components": [], "geometry": place},
        {"types": ["street_address"], "formatted_address": "not read", "geometry": place, "address_components": [
            {"long_name": part[1], "short_name": "FI" if part[0] == "country" else part[1], "types": [part[0]]}
            for part in parts if part[1]]}]}


def here(found, name, street, town, region, country):
    return {"items": [{
        "title": name or "not read", "resultType": "houseNumber" if house[0] else "place" if name else "street",
        "houseNumberType": "PA", "position": {"lat": house[1], "lng": house[2]}, "distance": round(house[3]),
        "address": bare({
            "label": "not read", "countryCode": "FIN", "countryName": country, "state": region, "city": town,
            "street": street, "houseNumber": house[0], "postalCode": "00100"})} for house in found]}


def tomtom(found, name, street, town, region, country):
    number, latitude, longitude, _ = found[0]
    return {"summary": {"numResults": 1}, "addresses": [{
        "position": f"{latitude:.6f},{longitude:.6f}", "address": bare({
            "streetNumber": number, "streetName": street or name, "municipality": town,
            "countrySubdivisionName": region, "postalCode": "00100", "country": country, "countryCode": "FI"})}]}


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, address):
        pass  # clients that hang up are part of the play


if __name__ == "__main__":
    server = Server(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
