"""Decodes GTFS-Realtime feeds with the published Python bindings, for comparison with Odograph's own decoder.

Prints a line for each vehicle position of each file given: device, fix time in ms, latitude and longitude in 1e-7
degrees, speed in m/s and bearing, separated by tabs; before them the file's name and its counts of entities.
Exit code 69 when the bindings (PyPI package gtfs-realtime-bindings) are not installed.
"""

import math
import os
import sys

try:
    from google.transit import gtfs_realtime_pb2
except ImportError:
    sys.exit(69)


def e7(degrees):
    return int(math.copysign(math.floor(abs(degrees * 1e7) + 0.5), degrees))


for path in sys.argv[1:]:
    feed = gtfs_realtime_pb2.FeedMessage()
    with open(path, "rb") as file:
        feed.ParseFromString(file.read())
    vehicles = [entity for entity in feed.entity if entity.HasField("vehicle") and not entity.is_deleted]
    updates = sum(entity.HasField("trip_update") for entity in feed.entity)
    alerts = sum(entity.HasField("alert") for entity in feed.entity)
    print(f"file\t{os.path.basename(path)}\t{len(vehicles)}\t{updates}\t{alerts}")
    for entity in vehicles:
        vehicle = entity.vehicle
        named = vehicle.vehicle
        device = named.id or named.label or named.license_plate or entity.id
        seconds = vehicle.timestamp or feed.header.timestamp
        place = vehicle.position
        speed = f"{place.speed:.9g}" if place.HasField("speed") else "-"
        bearing = f"{place.bearing:.9g}" if place.HasField("bearing") else "-"
        print(f"{device}\t{seconds * 1000}\t{e7(place.latitude)}\t{e7(place.longitude)}\t{speed}\t{bearing}")
