import Model
import Reading

extension CoordinateTuple {
    /// The tuples `lon,lat` or `lon,lat,alt` that commas join into this one, as in `10,50,0,11,51,0` or with a comma at
    /// each end of a line; nil when none or more than one division is possible.
    ///
    /// White space beside commas separates tuples if each then has two or three numbers. Otherwise all have the same
    /// number of numbers, and each begins with a position on Earth. If both pairs and triples are possible, a common
    /// altitude means triples.
    /// - Parameter text: The text that was read.
    func divided(_ text: UnsafeBufferPointer<UInt8>) -> [CoordinateTuple]? {
        guard count > 3, count <= 3 * FeedGeometry.mostPoints else { return nil }
        var numbers: [Double] = []
        var starts = [0]
        var isSpaced = false
        var index = range.lowerBound
        while index < range.upperBound {
            let start = index
            while index < range.upperBound, !Self.isSpace(text[index]), text[index] != Self.comma { index += 1 }
            guard index > start else {
                if Self.isSpace(text[index]) { isSpaced = true }
                index += 1
                continue
            }
            guard let number = NumberReader.double(text[start..<index]) else { return nil }
            if isSpaced { starts.append(numbers.count) }
            isSpaced = false
            numbers.append(number)
        }
        // Between two commas a number is missing.
        guard numbers.count == count else { return nil }
        let lines = zip(starts, starts.dropFirst() + [count]).map { numbers[$0..<$1] }
        let areTuples = lines.count > 1 && lines.allSatisfy { (2...3).contains($0.count) }
        if areTuples { return lines.map { CoordinateTuple($0) } }
        let (pairs, triples) = (Self.tuples(of: 2, in: numbers), Self.tuples(of: 3, in: numbers))
        guard pairs != nil, let all = triples else { return triples ?? pairs }
        return all.allSatisfy { $0.third == numbers[2] } ? all : nil
    }

    /// Tuples of `size` numbers each; nil when that does not come out even, or when one is no position.
    private static func tuples(of size: Int, in numbers: [Double]) -> [CoordinateTuple]? {
        guard numbers.count.isMultiple(of: size) else { return nil }
        let tuples = stride(from: 0, to: numbers.count, by: size).map { CoordinateTuple(numbers[$0..<$0 + size]) }
        let arePositions = tuples.allSatisfy { Coordinate(latitude: $0.second, longitude: $0.first) != nil }
        return arePositions ? tuples : nil
    }
}
