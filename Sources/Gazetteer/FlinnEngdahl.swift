public import Model

/// The 757 seismic and geographical regions of Flinn and Engdahl, in the revision of 1995, which cover the Earth in
/// whole degrees.
public struct FlinnEngdahl: Sendable {
    /// A region.
    public struct Region: Sendable, Hashable {
        /// Its number, 1…757.
        public let number: Int
        /// Its name with abbreviations written out: `Banda Sea`, `Near the Coast of Northern Chile`.
        public let name: String
    }

    /// The regions, which are read when they are first asked for.
    public static let regions = FlinnEngdahl(WordFile("flinn-engdahl"))

    private let names: [String]
    /// For each quadrant and degree of latitude, from the equator on: where a region begins, from Greenwich on.
    private let quadrants: [[[Start]]]

    private struct Start {
        let degree: UInt8
        let region: UInt16
    }

    init(_ file: WordFile) {
        names = file.lines("names").map { String($0) }
        quadrants = ["ne", "nw", "se", "sw"].map { quadrant in
            file.lines(quadrant).reduce(into: []) { rows, line in
                if line == "=", let last = rows.last { return rows.append(last) }
                let numbers = line.split(separator: " ").map { UInt16($0) ?? 0 }
                rows.append(
                    stride(from: 0, to: numbers.count - 1, by: 2).map { index in
                        Start(degree: UInt8(clamping: numbers[index]), region: numbers[index + 1])
                    })
            }
        }
    }

    /// The region of a point. A point on a border belongs to the region on the side away from the equator and from
    /// Greenwich; one on the equator or on Greenwich's meridian to the north or east; 180° W is 180° E.
    public func region(at point: Coordinate) -> Region? {
        let isWest = point.longitude < 0 && point.longitude > -180
        let quadrant = quadrants[(point.latitude < 0 ? 2 : 0) + (isWest ? 1 : 0)]
        let row = Int(clamping: abs(point.latitude))
        let degree = Int(clamping: abs(point.longitude))
        guard quadrant.indices.contains(row), let start = quadrant[row].last(where: { Int($0.degree) <= degree }),
            names.indices.contains(Int(start.region) - 1)
        else { return nil }
        return Region(number: Int(start.region), name: names[Int(start.region) - 1])
    }
}
