import Foundation
import Telemetry
import TestSupport

/// Real recordings as positions, read just as far as these tests need.
enum Recording {
    /// The track points of a GPX file that carry a time.
    static func gpx(_ name: String) throws -> [Position] {
        let text = String(decoding: try SharedData.bytes("tracks/\(name)"), as: UTF8.self)
        return Tape.track(
            of: text.components(separatedBy: "<trkpt").dropFirst().compactMap { point in
                guard let latitude = Double(value(after: "lat=\"", before: "\"", in: point) ?? ""),
                    let longitude = Double(value(after: "lon=\"", before: "\"", in: point) ?? ""),
                    let text = value(after: "<time>", before: "</time>", in: point),
                    let time = Timestamp(iso8601: text),
                    let coordinate = Coordinate(latitude: latitude, longitude: longitude)
                else { return nil }
                return Position(fixTime: time, coordinate: coordinate)
            }
        )
    }

    /// The buses of Liverpool's route 14, by vehicle.
    static func liverpool() throws -> [String: [Position]] {
        let text = String(decoding: try SharedData.bytes("tracks/liverpool-route14.csv"), as: UTF8.self)
        var tracks: [String: [Position]] = [:]
        for line in text.split(whereSeparator: \.isNewline).dropFirst() {
            let columns = line.split(separator: ",", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: ["\""]) }
            guard let reading = ClockReading(iso8601: columns[3].utf8), let latitude = Double(columns[4]),
                let longitude = Double(columns[5]),
                let coordinate = Coordinate(latitude: latitude, longitude: longitude)
            else { continue }
            tracks[columns[1], default: []].append(Position(fixTime: reading.asUTC, coordinate: coordinate))
        }
        return tracks.mapValues(Tape.track)
    }

    private static func value(after prefix: String, before suffix: String, in text: String) -> String? {
        guard let start = text.range(of: prefix),
            let end = text.range(of: suffix, range: start.upperBound..<text.endIndex)
        else { return nil }
        return String(text[start.upperBound..<end.lowerBound])
    }
}
