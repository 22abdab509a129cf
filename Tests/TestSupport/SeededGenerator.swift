import Foundation

/// Random numbers that a seed repeats exactly (SplitMix64, by Steele, Lea and Flood).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// Between 0 and 1.
    package mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

    /// Normally distributed with deviation 1.
    package mutating func gaussian() -> Double {
        (-2 * log(max(unit(), 1e-300))).squareRoot() * cos(2 * Double.pi * unit())
    }

    package mutating func chance(_ share: Double) -> Bool { unit() < share }
}

/// How often randomised tests repeat: small in every run, large when `ODOGRAPH_LONG=1`.
package enum Repetitions {
    package static let areLong = ProcessInfo.processInfo.environment["ODOGRAPH_LONG"] == "1"

    package static func count(_ short: Int, long: Int) -> Int { areLong ? long : short }
}
