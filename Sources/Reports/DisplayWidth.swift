internal import CTerminal

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension String {
    /// How many cells of a terminal it takes: two for East Asian wide characters and emoji, none for combining marks.
    package var displayWidth: Int {
        if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return utf8.count }
        return reduce(0) { $0 + $1.displayWidth }
    }

    /// The text with what would move the cursor or change the terminal replaced by spaces.
    package var printable: String {
        guard unicodeScalars.contains(where: { $0.isUnprintable }) else { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars { result.append(scalar.isUnprintable ? " " : scalar) }
        return String(result)
    }

    /// As many characters from the front as fit, with an ellipsis in place of the rest.
    package func cut(toWidth width: Int) -> String {
        guard displayWidth > width else { return self }
        var result = ""
        var used = 1
        for character in self {
            used += character.displayWidth
            if used > width { break }
            result.append(character)
        }
        return width > 0 ? result + "…" : ""
    }

    /// Spaces added up to a width.
    package func padded(toWidth width: Int, atFront: Bool = false) -> String {
        let padding = String(repeating: " ", count: max(0, width - displayWidth))
        return atFront ? padding + self : self + padding
    }
}

extension Unicode.Scalar {
    fileprivate var isUnprintable: Bool {
        switch properties.generalCategory {
        // Of the format characters, joiners belong to text; overrides of direction would turn the line around.
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        case .format: value != 0x200C && value != 0x200D && !(0xE0020...0xE007F).contains(value)
        default: false
        }
    }
}

extension Character {
    fileprivate var displayWidth: Int {
        guard let first = unicodeScalars.first else { return 0 }
        // Emoji, and signs that the variation selector 16 or a keycap turns into one.
        if first.properties.isEmojiPresentation || unicodeScalars.contains(where: { $0.value == 0xFE0F }) { return 2 }
        return unicodeScalars.reduce(0) { max($0, Int(odograph_cell_width($1.value, UnicodeLocale.shared.handle))) }
    }
}

/// The C library's locale in which `wcwidth` knows widths beyond ASCII; `C.UTF-8` is part of the library itself.
private struct UnicodeLocale: @unchecked Sendable {
    // Never changed or freed after it was made, so that any thread may use it.
    let handle = newlocale(1 << LC_CTYPE, "C.UTF-8", nil)

    static let shared = UnicodeLocale()
}
