/// Reads chunks; keeps its working memory from one to the next, so use one for many.
package final class TrackDecoder {
    private var values: UnsafeMutablePointer<Int64>
    private var capacity: Int

    package init() {
        capacity = TrackCodec.chunkSize
        values = .allocate(capacity: capacity)
    }

    deinit { values.deallocate() }

    /// More positions than this in one chunk are damage.
    private static let highestCount = 1 << 26

    /// Appends a chunk's positions.
    ///
    /// - Throws: when the bytes are not what an encoder wrote; `positions` then is as before.
    package func decode(_ bytes: [UInt8], into positions: inout [Position]) throws(TrackCodecError) {
        let result = bytes.withUnsafeBytes { raw in
            Result { () throws(TrackCodecError) in try decode(raw: raw, into: &positions) }
        }
        try result.get()
    }

    /// Appends a chunk's positions.
    ///
    /// - Throws: when the bytes are not what an encoder wrote; `positions` then is as before.
    package func decode(raw bytes: UnsafeRawBufferPointer, into positions: inout [Position]) throws(TrackCodecError) {
        let header = try TrackChunkHeader(bytes)
        let count = header.count
        guard count > 0, count <= TrackDecoder.highestCount else { throw TrackCodecError(kind: .damaged) }
        if count > capacity {
            values.deallocate()
            values = .allocate(capacity: count)
            capacity = count
        }
        let start = positions.count
        let empty = Position(fixTime: header.first, coordinate: header.southWest)
        positions.append(contentsOf: repeatElement(empty, count: count))
        var reader = Reader(bytes: bytes, offset: TrackCodec.headerSize)
        let isWhole = positions.withUnsafeMutableBufferPointer { all in
            columns(&reader, UnsafeMutableBufferPointer(rebasing: all[start...]))
        }
        guard isWhole, reader.offset == bytes.count - TrackCodec.padding else {
            positions.removeLast(count)
            throw TrackCodecError(kind: .damaged)
        }
    }

    private func columns(_ reader: inout Reader, _ target: UnsafeMutableBufferPointer<Position>) -> Bool {
        let count = target.count
        guard column(&reader, count) != nil else { return false }
        for index in 0..<count { target[index].fixTime = Timestamp(milliseconds: values[index]) }
        guard column(&reader, count) != nil else { return false }
        for index in 0..<count { target[index].coordinate.latitudeE7 = Int32(truncatingIfNeeded: values[index]) }
        guard column(&reader, count) != nil else { return false }
        for index in 0..<count { target[index].coordinate.longitudeE7 = Int32(truncatingIfNeeded: values[index]) }
        guard column(&reader, count) != nil else { return false }
        for index in 0..<count { target[index].fields.rawValue = UInt16(truncatingIfNeeded: values[index]) }
        guard let tag = column(&reader, count) else { return false }
        if tag & 1 << 4 != 0 {
            for index in 0..<count {
                target[index].receivedTime.milliseconds = target[index].fixTime.milliseconds &+ values[index]
            }
        } else {
            for index in 0..<count { target[index].receivedTime.milliseconds = values[index] }
        }
        guard let speed = column(&reader, count) else { return false }
        if !isAbsent(speed) {
            for index in 0..<count {
                target[index].speedCentimetresPerSecond = UInt16(truncatingIfNeeded: values[index])
            }
        }
        guard let heading = column(&reader, count, turn: 3600) else { return false }
        if !isAbsent(heading) {
            for index in 0..<count { target[index].headingDecidegrees = UInt16(truncatingIfNeeded: values[index]) }
        }
        guard let altitude = column(&reader, count) else { return false }
        if !isAbsent(altitude) {
            for index in 0..<count { target[index].altitudeDecimetres = Int32(truncatingIfNeeded: values[index]) }
        }
        guard let accuracy = column(&reader, count) else { return false }
        if !isAbsent(accuracy) {
            for index in 0..<count { target[index].accuracyDecimetres = UInt32(truncatingIfNeeded: values[index]) }
        }
        guard let hdop = column(&reader, count) else { return false }
        if !isAbsent(hdop) {
            for index in 0..<count { target[index].hdopHundredths = UInt16(truncatingIfNeeded: values[index]) }
        }
        guard let satellites = column(&reader, count) else { return false }
        if !isAbsent(satellites) {
            for index in 0..<count { target[index].satelliteCount = UInt8(truncatingIfNeeded: values[index]) }
        }
        guard let odometer = column(&reader, count) else { return false }
        if !isAbsent(odometer) {
            for index in 0..<count { target[index].odometerDecimetres = values[index] }
        }
        return references(&reader, target)
    }

    /// A constant zero is what new positions have.
    private func isAbsent(_ tag: UInt8) -> Bool { tag & 3 == TrackCodec.Order.constant.rawValue && values[0] == 0 }

    private func references(_ reader: inout Reader, _ target: UnsafeMutableBufferPointer<Position>) -> Bool {
        guard let peeked = reader.peek() else { return false }
        guard peeked == 1 << 5 else { return column(&reader, target.count) == 0 && values[0] == 0 }
        reader.offset += 1
        guard let distinct = reader.varint(), distinct <= UInt64(target.count) else { return false }
        var list: [UInt64] = []
        for _ in 0..<distinct {
            guard let reference = reader.word() else { return false }
            list.append(reference)
        }
        guard column(&reader, target.count) != nil else { return false }
        for index in 0..<target.count {
            guard let place = Int(exactly: values[index]), list.indices.contains(place) else { return false }
            target[index].attributes = list[place]
        }
        return true
    }

    /// Decodes one column into `values`.
    ///
    /// - Returns: its tag, or nil for damage.
    private func column(_ reader: inout Reader, _ count: Int, turn: Int64 = 0) -> UInt8? {
        guard let tag = reader.byte(), let raw = reader.varint(), let order = TrackCodec.Order(rawValue: tag & 3)
        else { return nil }
        let start = TrackCodec.unzigzag(raw)
        if order == .constant {
            for index in 0..<count { values[index] = start }
            return tag
        }
        guard blocks(&reader, count, order) else { return nil }
        let factor: Int64 =
            switch tag >> 2 & 3 {
            case 0: 1
            case 1: 10
            case 2: 100
            default: 1000
            }
        switch order {
        case .constant: break
        case .delta where turn != 0:
            let turn = turn
            var sum = start
            for index in 0..<count {
                sum &+= values[index] &* factor
                if sum >= turn { sum &-= turn } else if sum < 0 { sum &+= turn }
                values[index] = sum
            }
        case .delta:
            var sum = start
            for index in 0..<count {
                sum &+= values[index] &* factor
                values[index] = sum
            }
        case .deltaOfDelta:
            var (sum, step) = (start, Int64(0))
            for index in 0..<count {
                step &+= values[index] &* factor
                sum &+= step
                values[index] = sum
            }
        case .offset:
            for index in 0..<count { values[index] = start &+ values[index] &* factor }
        }
        return tag
    }

    /// Unpacks residuals into `values`.
    private func blocks(_ reader: inout Reader, _ count: Int, _ order: TrackCodec.Order) -> Bool {
        var start = 0
        while start < count {
            let size = min(TrackCodec.blockSize, count - start)
            guard let width = reader.byte(), let exceptions = reader.byte(), width <= TrackCodec.highestWidth
            else { return false }
            var base: Int64 = 0
            if order == .offset {
                guard let raw = reader.varint() else { return false }
                base = TrackCodec.unzigzag(raw)
            }
            guard reader.unpack(into: values + start, size, Int(width)) else { return false }
            for _ in 0..<exceptions {
                guard let index = reader.byte(), index < size, let high = reader.varint() else { return false }
                values[start + Int(index)] |= Int64(bitPattern: high &<< UInt64(width))
            }
            if order == .offset {
                for index in start..<start + size { values[index] &+= base }
            } else {
                for index in start..<start + size {
                    values[index] = TrackCodec.unzigzag(UInt64(bitPattern: values[index]))
                }
            }
            start += size
        }
        return true
    }

    /// Reads bytes within bounds.
    private struct Reader {
        let bytes: UnsafeRawBufferPointer
        var offset: Int

        func peek() -> UInt8? { offset < bytes.count ? bytes[offset] : nil }

        mutating func byte() -> UInt8? {
            guard offset < bytes.count else { return nil }
            defer { offset += 1 }
            return bytes[offset]
        }

        mutating func word() -> UInt64? {
            guard offset + 8 <= bytes.count else { return nil }
            defer { offset += 8 }
            return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }

        mutating func varint() -> UInt64? {
            var (value, shift) = (UInt64(0), UInt64(0))
            while let next = byte(), shift < 64 {
                value |= UInt64(next & 0x7f) << shift
                if next < 0x80 { return value }
                shift += 7
            }
            return nil
        }

        /// Unpacks values of up to 56 bits; the last load may reach into the padding, not beyond it.
        mutating func unpack(into target: UnsafeMutablePointer<Int64>, _ count: Int, _ width: Int) -> Bool {
            guard width > 0 else {
                for index in 0..<count { target[index] = 0 }
                return true
            }
            let size = (count * width + 7) / 8
            guard let base = bytes.baseAddress, offset + size + TrackCodec.padding <= bytes.count else { return false }
            let source = base + offset
            let mask: UInt64 = (1 &<< UInt64(width)) &- 1
            var bit = 0
            for index in 0..<count {
                let word = UInt64(littleEndian: source.loadUnaligned(fromByteOffset: bit &>> 3, as: UInt64.self))
                target[index] = Int64(bitPattern: (word &>> UInt64(bit & 7)) & mask)
                bit &+= width
            }
            offset += size
            return true
        }
    }
}
