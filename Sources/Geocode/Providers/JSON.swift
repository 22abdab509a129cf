import Foundation

/// A JSON value, read without a schema: providers add, drop and retype members.
struct JSON {
    private let value: Any?

    /// Parses an answer.
    ///
    /// - Returns: nil for anything but one JSON object or array in UTF-8.
    init?(_ bytes: [UInt8]) {
        guard String(validating: bytes, as: UTF8.self) != nil,
            let value = try? JSONSerialization.jsonObject(with: Data(bytes))  // why it is no JSON does not matter
        else { return nil }
        self.value = value
    }

    private init(value: Any?) { self.value = value }

    subscript(name: String) -> JSON { JSON(value: (value as? [String: Any])?[name]) }

    subscript(index: Int) -> JSON {
        let array = value as? [Any] ?? []
        return JSON(value: array.indices.contains(index) ? array[index] : nil)
    }

    /// The elements of an array; none of anything else.
    var elements: [JSON] { (value as? [Any] ?? []).map { JSON(value: $0) } }
    /// The members of an object.
    var members: [String: JSON] { (value as? [String: Any] ?? [:]).mapValues { JSON(value: $0) } }
    var isPresent: Bool { value != nil && !(value is NSNull) }
    var isArray: Bool { value is [Any] }
    var isObject: Bool { value is [String: Any] }

    /// A text that is not blank, or a number as text.
    var text: String? {
        if let text = value as? String {
            return text.allSatisfy(\.isWhitespace) ? nil : text.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        guard let number = value as? NSNumber, !(value is Bool) else { return nil }
        return number.stringValue
    }

    /// A number, or a text that is one.
    var number: Double? {
        if let text = value as? String { return Double(text) }
        return (value as? NSNumber)?.doubleValue
    }

    /// The first of several members that holds a text.
    func firstText(_ names: String...) -> String? {
        for name in names {
            if let text = self[name].text { return text }
        }
        return nil
    }
}
