import Model

/// Matches the places of a list with stored ones.
struct PointMatching {
    /// The row of each point; nil for a new place.
    private(set) var own: [Int?]
    /// A second row of the same place, without a number and with the name of another list.
    private(set) var second: [Int?]
    /// Indexes of points whose key an earlier point has.
    private(set) var repeats: Set<Int> = []

    /// 0.3° of arc in whole kilometres: lists of different years differ by as much in a volcano's position.
    private static let reach = 33.0
    /// `Unnamed` is no name; lists move such a volcano by up to 5 km.
    private static let reachOfUnnamed = 5.5

    /// Matches by key first. Then matches pairs with a common name, present or former, of which at most one has a
    /// number, the nearest pair first.
    init(_ points: [PointOfInterest], rows: [PointRow]) {
        own = Array(repeating: nil, count: points.count)
        second = own
        var byKey: [String: Int] = [:]
        var byCell: [Cell: [Int]] = [:]
        for (index, row) in rows.enumerated() {
            byKey[row.key] = index
            for name in row.names { byCell[Cell(row.point, name, 0), default: []].append(index) }
        }
        var taken: Set<Int> = []
        var keys: Set<String> = []
        for (index, point) in points.enumerated() {
            guard keys.insert(point.key).inserted else {
                repeats.insert(index)
                continue
            }
            if let row = byKey[point.key], rows[row].point.kind == point.kind {
                own[index] = row
                taken.insert(row)
            }
        }
        let known = own
        var pairs: [(kilometres: Double, point: Int, row: Int)] = []
        for (index, point) in points.enumerated() where !repeats.contains(index) {
            // A known place without a number cannot be a place with another row.
            if known[index] != nil, point.number == nil { continue }
            let reach = point.foldedName.hasPrefix("unnamed") ? Self.reachOfUnnamed : Self.reach
            for row in (-1...1).flatMap({ byCell[Cell(point, point.foldedName, $0)] ?? [] }) {
                guard !taken.contains(row), point.number == nil || rows[row].point.number == nil else { continue }
                let kilometres = point.coordinate.distance(to: rows[row].point.coordinate)
                if kilometres <= reach { pairs.append((kilometres, index, row)) }
            }
        }
        pairs.sort { ($0.kilometres, $0.point, $0.row) < ($1.kilometres, $1.point, $1.row) }
        for pair in pairs where !taken.contains(pair.row) {
            if own[pair.point] == nil {
                own[pair.point] = pair.row
            } else if known[pair.point] != nil, second[pair.point] == nil {
                second[pair.point] = pair.row
            } else {
                continue
            }
            taken.insert(pair.row)
        }
    }

    /// Places of one kind and name in a one-degree band of latitude.
    private struct Cell: Hashable {
        var kind: PointOfInterest.Kind
        var foldedName: String
        var band: Int

        init(_ point: PointOfInterest, _ foldedName: String, _ offset: Int) {
            kind = point.kind
            self.foldedName = foldedName
            band = Int(clamping: point.coordinate.latitude.rounded(.down)) + offset
        }
    }
}

extension PointOfInterest {
    /// Combines the place with its entry in another list.
    func updated(by other: PointOfInterest) -> PointOfInterest {
        // A list with numbers is better than one without.
        let isBetter = other.number != nil || number == nil
        var result = isBetter ? other : self
        let rest = isBetter ? self : other
        result.number = other.number ?? number
        result.country = result.country ?? rest.country
        if result.details == "{}" { result.details = rest.details }
        result.picture = other.picture ?? picture
        result.webcam = other.webcam ?? webcam
        result.text = other.text ?? text
        return result
    }

    /// Fills missing fields from another row of the same place.
    mutating func take(missingFrom other: PointOfInterest) {
        country = country ?? other.country
        picture = picture ?? other.picture
        webcam = webcam ?? other.webcam
        text = text ?? other.text
        if details == "{}" { details = other.details }
    }
}
