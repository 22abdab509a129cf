package import Telemetry
package import TripDetection
package import TripStore

/// A setting as it holds for all devices or one, and where its value comes from.
package struct SettingRow: Hashable, Sendable {
    package enum Origin: String, Sendable {
        case standard = "default"
        case store
        case device
    }

    package var setting: DetectionSetting
    package var value: Double
    package var origin: Origin

    /// All settings.
    ///
    /// - Parameters:
    ///   - stored: what the store keeps.
    ///   - device: whose settings; nil for those that hold for devices without their own.
    /// - Returns: one row for each, in the order of the documentation.
    package static func all(_ stored: StoredSettings, device: DeviceID?) -> [SettingRow] {
        let own = device.flatMap { stored.devices[$0] } ?? [:]
        return DetectionSetting.allCases.map { setting in
            if let value = own[setting.name] { return SettingRow(setting: setting, value: value, origin: .device) }
            if let value = stored.common[setting.name] {
                return SettingRow(setting: setting, value: value, origin: .store)
            }
            return SettingRow(setting: setting, value: DetectionSettings()[setting], origin: .standard)
        }
    }

    /// With as many decimals as it has, three at most.
    package var valueText: String { Measure.plain(value) }
}

extension Measure {
    /// A number with as many decimals as it has, three at most.
    package static func plain(_ value: Double) -> String {
        var text: [UInt8] = []
        text.append(thousandths: Int64((value * 1000).rounded()))
        return String(decoding: text, as: UTF8.self)
    }
}

extension Column<SettingRow> {
    package static let settings: [Column<SettingRow>] = [
        Column("name") { .text($0.setting.name) },
        Column("value") { .thousandths(Int64(($0.value * 1000).rounded())) },
        Column("origin") { .text($0.origin.rawValue) },
        Column("meaning") { .text($0.setting.meaning) },
    ]
}

extension TableColumn<SettingRow> {
    package static let settings: [TableColumn<SettingRow>] = [
        TableColumn("NAME") { row, _ in row.setting.name },
        TableColumn("VALUE", .right) { row, _ in row.valueText },
        TableColumn("FROM") { row, _ in row.origin.rawValue },
        TableColumn("MEANING", isFlexible: true) { row, _ in row.setting.meaning },
    ]
}
