/// Writes chunks; keeps its working memory from one to the next, so use one for many.
package final class TrackEncoder {
    private var output: UnsafeMutablePointer<UInt8>
    private var outputCapacity: Int
    private var length = 0
    private var columns: UnsafeMutablePointer<Int64>
    private var residuals: UnsafeMutablePointer<UInt64>
    private var capacity: Int

    package init() {
        capacity = TrackCodec.chunkSize
        outputCapacity = TrackEncoder.bound(capacity)
        output = .allocate(capacity: outputCapacity)
        columns = .allocate(capacity: capacity * TrackEncoder.columnCount)
        residuals = .allocate(capacity: capacity)
    }

    deinit {
        output.deallocate()
        columns.deallocate()
        residuals.deallocate()
    }

    private static let columnCount = 13

    /// No chunk of so many positions is longer: a value takes at most 7 bytes packed and 11 as an exception.
    private static func bound(_ count: Int) -> Int {
        TrackCodec.headerSize + TrackCodec.padding + columnCount * (count * 18 + 64 + count / 8) + count * 8
    }

    /// Encodes positions, which must be in key order and at least one.
    package func encode(_ positions: some Collection<Position>) -> [UInt8] {
        let bytes = positions.withContiguousStorageIfAvailable { encode(buffer: $0) }
        return bytes ?? Array(positions).withUnsafeBufferPointer { encode(buffer: $0) }
    }

    /// Encodes positions, which must be in key order and at least one.
    package func encode(buffer positions: UnsafeBufferPointer<Position>) -> [UInt8] {
        guard let first = positions.first, let last = positions.last else { return [] }
        let count = positions.count
        reserve(count)
        length = TrackCodec.headerSize
        var any: UInt16 = 0
        var (south, north) = (Int32.max, Int32.min)
        var (west, east) = (Int32.max, Int32.min)
        var attributes: UInt64 = 0
        let columns = columns
        for index in 0..<count {
            let position = positions[index]
            columns[index] = position.fixTime.milliseconds
            columns[count + index] = Int64(position.coordinate.latitudeE7)
            columns[2 * count + index] = Int64(position.coordinate.longitudeE7)
            columns[3 * count + index] = Int64(position.fields.rawValue)
            columns[4 * count + index] = position.receivedTime.milliseconds
            columns[5 * count + index] = Int64(position.speedCentimetresPerSecond)
            columns[6 * count + index] = Int64(position.headingDecidegrees)
            columns[7 * count + index] = Int64(position.altitudeDecimetres)
            any |= position.fields.rawValue
            south = min(south, position.coordinate.latitudeE7)
            north = max(north, position.coordinate.latitudeE7)
            west = min(west, position.coordinate.longitudeE7)
            east = max(east, position.coordinate.longitudeE7)
            attributes |= position.attributes
        }
        let fields = Position.Fields(rawValue: any)
        let rare: Position.Fields = [.accuracy, .hdop, .satellites, .odometer]
        if !fields.isDisjoint(with: rare) {
            for index in 0..<count {
                columns[8 * count + index] = Int64(positions[index].accuracyDecimetres)
                columns[9 * count + index] = Int64(positions[index].hdopHundredths)
                columns[10 * count + index] = Int64(positions[index].satelliteCount)
                columns[11 * count + index] = positions[index].odometerDecimetres
            }
        }
        // Before the column of fix times is worked on.
        let isReceivedAtOnce = isConstant(columns + 4 * count, count)
        if !isReceivedAtOnce {
            for index in 0..<count { columns[4 * count + index] &-= columns[index] }
        }
        column(0, count, .deltaOfDelta)
        column(1, count, .delta, or: .deltaOfDelta)
        column(2, count, .delta, or: .deltaOfDelta)
        column(3, count, .delta)
        if isReceivedAtOnce { column(4, count, .delta) } else { column(4, count, .delta, or: .offset, tagBits: 1 << 4) }
        column(5, count, .delta, or: .offset)
        heading(count)
        column(7, count, .delta, or: .offset)
        if fields.isDisjoint(with: rare) {
            for _ in 8...11 { absent() }
        } else {
            for number in 8...10 { column(number, count, .delta, or: .offset) }
            column(11, count, .delta, or: .deltaOfDelta)
        }
        if attributes == 0 { absent() } else { references(positions) }
        for _ in 0..<TrackCodec.padding { put(0) }

        store(UInt8(TrackCodec.version), at: 4)
        store(UInt8(0), at: 5)
        store(any, at: 6)
        store(UInt32(count), at: 8)
        store(UInt32(length), at: 12)
        store(first.fixTime.milliseconds, at: 16)
        store(last.fixTime.milliseconds, at: 24)
        store(south, at: 32)
        store(north, at: 36)
        store(west, at: 40)
        store(east, at: 44)
        store(TrackCodec.checksum(UnsafeRawBufferPointer(start: output + 4, count: length - 4)), at: 0)
        return [UInt8](UnsafeBufferPointer(start: output, count: length))
    }

    private func reserve(_ count: Int) {
        guard count > capacity else { return }
        output.deallocate()
        columns.deallocate()
        residuals.deallocate()
        capacity = count
        outputCapacity = TrackEncoder.bound(count)
        output = .allocate(capacity: outputCapacity)
        columns = .allocate(capacity: count * TrackEncoder.columnCount)
        residuals = .allocate(capacity: count)
    }

    // MARK: Columns

    private func absent() {
        put(TrackCodec.Order.constant.rawValue)
        put(0)
    }

    private func heading(_ count: Int) {
        let values = columns + 6 * count
        guard !isConstant(values, count) else { return column(6, count, .delta) }
        let start = values[0]
        let exponent = scale(values, count, highest: 2)
        let turn: Int64 = exponent == 0 ? 3600 : exponent == 1 ? 360 : 36
        put(TrackCodec.Order.delta.rawValue | exponent << 2)
        put(varint: TrackCodec.zigzag(start))
        residuals[0] = 0
        for index in 1..<count {
            var step = values[index] - values[index - 1]
            if step >= turn / 2 { step -= turn } else if step < -turn / 2 { step += turn }
            residuals[index] = TrackCodec.zigzag(step)
        }
        blocks(count, based: false)
    }

    private func references(_ positions: UnsafeBufferPointer<Position>) {
        let values = columns + 12 * positions.count
        var indices: [UInt64: Int64] = [:]
        var distinct: [UInt64] = []
        for (index, position) in positions.enumerated() {
            if let known = indices[position.attributes] {
                values[index] = known
            } else {
                values[index] = Int64(distinct.count)
                indices[position.attributes] = Int64(distinct.count)
                distinct.append(position.attributes)
            }
        }
        // The tag of a column with references is set apart from an absent one by its bit 5.
        put(1 << 5)
        put(varint: UInt64(distinct.count))
        for reference in distinct {
            store(reference, at: length)
            length += 8
        }
        column(12, positions.count, .offset)
    }

    /// Writes a column in the order that makes the smaller residuals.
    private func column(
        _ number: Int,
        _ count: Int,
        _ first: TrackCodec.Order,
        or second: TrackCodec.Order? = nil,
        tagBits: UInt8 = 0
    ) {
        let values = columns + number * count
        if isConstant(values, count) {
            put(TrackCodec.Order.constant.rawValue | tagBits)
            put(varint: TrackCodec.zigzag(values[0]))
            return
        }
        let start = values[0]
        let exponent = scale(values, count, highest: 3)
        var order = first
        if let second, bits(values, count, second) < bits(values, count, first) { order = second }
        put(order.rawValue | exponent << 2 | tagBits)
        put(varint: TrackCodec.zigzag(start))
        residuals[0] = 0
        switch order {
        case .constant: break
        case .delta:
            for index in 1..<count { residuals[index] = TrackCodec.zigzag(values[index] &- values[index - 1]) }
        case .deltaOfDelta:
            var step: Int64 = 0
            for index in 1..<count {
                let next = values[index] &- values[index - 1]
                residuals[index] = TrackCodec.zigzag(next &- step)
                step = next
            }
        case .offset:
            for index in 1..<count { residuals[index] = UInt64(bitPattern: values[index]) }
        }
        blocks(count, based: order == .offset)
    }

    private func isConstant(_ values: UnsafeMutablePointer<Int64>, _ count: Int) -> Bool {
        let first = values[0]
        for index in 1..<max(1, count) where values[index] != first { return false }
        return true
    }

    /// Turns values into differences to the first one, divided by the greatest power of ten that divides them all.
    ///
    /// - Returns: the exponent of that power.
    private func scale(_ values: UnsafeMutablePointer<Int64>, _ count: Int, highest: UInt8) -> UInt8 {
        let first = values[0]
        for index in 0..<count { values[index] &-= first }
        var exponent = highest
        while exponent > 0 {
            if divide(values, count, exponent) { return exponent }
            exponent -= 1
        }
        return 0
    }

    /// Divides values by a power of ten, if it divides them all.
    private func divide(_ values: UnsafeMutablePointer<Int64>, _ count: Int, _ exponent: UInt8) -> Bool {
        // 10^k is 2^k * 5^k, and division by 5^k, where it leaves nothing, is a product with its inverse modulo 2^64;
        // where it leaves something, the product is out of the range of quotients.
        let (five, inverse): (Int64, Int64) =
            switch exponent {
            case 1: (5, -3_689_348_814_741_910_323)
            case 2: (25, -8_116_567_392_432_202_711)
            default: (125, 2_066_035_336_255_469_781)
            }
        let shift = Int64(exponent)
        let lowBits = (Int64(1) &<< shift) &- 1
        let limit = Int64.max / five
        let quotients = UnsafeMutableRawPointer(residuals).assumingMemoryBound(to: Int64.self)
        for index in 0..<count {
            let value = values[index]
            let quotient = (value &>> shift) &* inverse
            quotients[index] = quotient
            if value & lowBits != 0 || quotient > limit || quotient < -limit { return false }
        }
        values.update(from: quotients, count: count)
        return true
    }

    /// Estimates the size of residuals from every fourth value.
    private func bits(_ values: UnsafeMutablePointer<Int64>, _ count: Int, _ order: TrackCodec.Order) -> Int {
        var sum = 0
        var least = Int64.max
        if order == .offset {
            var index = 2
            while index < count {
                least = min(least, values[index])
                index += 4
            }
        }
        var index = 2
        while index < count {
            let residual: UInt64 =
                switch order {
                case .constant: 0
                case .delta: TrackCodec.zigzag(values[index] &- values[index - 1])
                case .deltaOfDelta:
                    TrackCodec.zigzag(values[index] &- 2 &* values[index - 1] &+ values[index - 2])
                case .offset: UInt64(bitPattern: values[index] &- least)
                }
            sum += 64 - residual.leadingZeroBitCount
            index += 4
        }
        return sum
    }

    // MARK: Blocks

    private func blocks(_ count: Int, based: Bool) {
        var start = 0
        while start < count {
            let size = min(TrackCodec.blockSize, count - start)
            block(residuals + start, size, based: based)
            start += size
        }
    }

    private func block(_ values: UnsafeMutablePointer<UInt64>, _ count: Int, based: Bool) {
        var base: Int64 = 0
        if based {
            base = Int64(bitPattern: values[0])
            for index in 1..<max(1, count) { base = min(base, Int64(bitPattern: values[index])) }
            for index in 0..<count { values[index] &-= UInt64(bitPattern: base) }
        }
        var all: UInt64 = 0
        for index in 0..<count { all |= values[index] }
        let highest = 64 - all.leadingZeroBitCount
        let width = highest == 0 ? 0 : bestWidth(values, count, highest: highest)
        let widthIndex = length
        put(UInt8(width))
        put(0)
        if based { put(varint: TrackCodec.zigzag(base)) }
        if width > 0 { pack(values, count, width) }
        var exceptions = 0
        if width < highest {
            for index in 0..<count where values[index] &>> UInt64(width) != 0 {
                put(UInt8(index))
                put(varint: values[index] >> UInt64(width))
                exceptions += 1
            }
        }
        output[widthIndex + 1] = UInt8(exceptions)
    }

    /// The width that makes packed values and exceptions together shortest.
    private func bestWidth(_ values: UnsafeMutablePointer<UInt64>, _ count: Int, highest: Int) -> Int {
        // Four counts side by side: neighbours are often of one width, and would wait for each other.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4 * 65) { histogram in
            histogram.update(repeating: 0)
            var index = 0
            while index &+ 3 < count {
                histogram[64 &- values[index].leadingZeroBitCount] &+= 1
                histogram[129 &- values[index &+ 1].leadingZeroBitCount] &+= 1
                histogram[194 &- values[index &+ 2].leadingZeroBitCount] &+= 1
                histogram[259 &- values[index &+ 3].leadingZeroBitCount] &+= 1
                index &+= 4
            }
            while index < count {
                histogram[64 &- values[index].leadingZeroBitCount] &+= 1
                index &+= 1
            }
            var (best, least) = (highest, Int.max)
            var (above, extra) = (0, 0)  // values wider than the width, and bits of their exceptions but the index
            var width = highest
            while width >= 0 {
                if width <= TrackCodec.highestWidth {
                    let size = (count * width + 7) / 8 * 8 + above * 8 + extra
                    if size < least { (best, least) = (width, size) }
                }
                let wide =
                    Int(histogram[width]) + Int(histogram[width + 65]) + Int(histogram[width + 130])
                    + Int(histogram[width + 195])
                above += wide
                // One bit more for each exception with every step down, in whole varint bytes at the mean.
                extra += above + wide * 7
                width -= 1
            }
            return best
        }
    }

    private func pack(_ values: UnsafeMutablePointer<UInt64>, _ count: Int, _ width: Int) {
        let mask: UInt64 = (1 &<< UInt64(width)) &- 1
        var (word, used) = (UInt64(0), 0)
        var target = UnsafeMutableRawPointer(output + length)
        for index in 0..<count {
            let value = values[index] & mask
            word |= value &<< UInt64(used)
            used += width
            if used >= 64 {
                target.storeBytes(of: word.littleEndian, as: UInt64.self)
                target += 8
                used -= 64
                word = used == 0 ? 0 : value &>> UInt64(width - used)
            }
        }
        target.storeBytes(of: word.littleEndian, as: UInt64.self)
        length += (count * width + 7) / 8
    }

    // MARK: Bytes

    @inline(__always)
    private func put(_ byte: UInt8) {
        output[length] = byte
        length += 1
    }

    private func put(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            put(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        put(UInt8(rest))
    }

    private func store<T: FixedWidthInteger>(_ value: T, at offset: Int) {
        UnsafeMutableRawPointer(output + offset).storeBytes(of: value.littleEndian, as: T.self)
    }
}
