import Telemetry

/// One `trkpt` element while its children arrive.
struct GPXPoint {
    /// The children that are read, direct ones and those of `extensions`, in whatever namespace.
    private enum Child: String {
        case time, ele, speed, course, hdop, sat, fix
    }

    let depth: Int
    let line: Int
    private let latitude: String?
    private let longitude: String?
    private(set) var time = ""
    private var texts: [(child: Child, text: String)] = []
    private var current: (child: Child, depth: Int)?
    private var collected = ""

    init(depth: Int, line: Int, latitude: String?, longitude: String?) {
        self.depth = depth
        self.line = line
        self.latitude = latitude
        self.longitude = longitude
    }

    var isCollecting: Bool { current != nil }

    /// A child element begins.
    mutating func begin(_ name: String, depth: Int) {
        current = Child(rawValue: name).map { ($0, depth) }
        // A time deeper down is not the time of the fix.
        if current?.child == .time, depth != self.depth + 1 { current = nil }
        collected = ""
    }

    mutating func collect(_ text: String) {
        if collected.utf8.count < 256 { collected += String(text.prefix(256)) }
    }

    /// An element inside ends.
    mutating func end(depth: Int) {
        guard let current, current.depth == depth else { return }
        self.current = nil
        let text = GPXPoint.trimmed(collected)
        guard !text.isEmpty else { return }
        if current.child == .time {
            time = text
        } else if !texts.contains(where: { $0.child == current.child }) {
            texts.append((current.child, text))
        }
    }

    /// Reads all but the time.
    func read(into report: inout Report) -> Admission.Problem? {
        if let problem = GPXPoint.degrees("lat", latitude, &report.latitude, &report.hasLatitude) { return problem }
        if let problem = GPXPoint.degrees("lon", longitude, &report.longitude, &report.hasLongitude) { return problem }
        for (child, text) in texts {
            if child == .fix {
                if text == "none" { report.setValid(false) }
                continue
            }
            guard let value = text.withUTF8Bytes({ Number.decimal($0) }) else {
                return Admission.Problem(.malformed, "\(child.rawValue) must be a number, found \"\(text.prefix(60))\"")
            }
            switch child {
            case .ele: (report.altitude, report.present) = (value, report.present | Report.altitude)
            case .speed: (report.speed, report.present) = (value, report.present | Report.speed)
            case .course: (report.heading, report.present) = (value, report.present | Report.heading)
            case .hdop: (report.hdop, report.present) = (value, report.present | Report.hdop)
            case .sat: (report.satellites, report.present) = (value, report.present | Report.satellites)
            case .time, .fix: break
            }
        }
        return nil
    }

    private static func degrees(
        _ name: String,
        _ text: String?,
        _ value: inout Double,
        _ isPresent: inout Bool
    ) -> Admission.Problem? {
        let text = trimmed(text ?? "")
        guard !text.isEmpty else { return nil }  // admission names what is missing
        guard let number = text.withUTF8Bytes({ Number.decimal($0) }) else {
            return Admission.Problem(
                .badCoordinates,
                "\(name) must be a number with a point, found \"\(text.prefix(60))\""
            )
        }
        value = number
        isPresent = true
        return nil
    }

    private static func trimmed(_ text: String) -> String {
        var bytes = Substring(text).utf8
        while let first = bytes.first, InputFormat.isSpace(first) { bytes.removeFirst() }
        while let last = bytes.last, InputFormat.isSpace(last) { bytes.removeLast() }
        return String(bytes) ?? ""
    }
}

extension GPXPoint: CustomStringConvertible {
    var description: String {
        let place = "lat \(latitude?.prefix(60) ?? "missing"), lon \(longitude?.prefix(60) ?? "missing")"
        let rest = texts.map { ", \($0.child.rawValue) \($0.text.prefix(60))" }.joined()
        return place + (time.isEmpty ? "" : ", time \(time)") + rest
    }
}
