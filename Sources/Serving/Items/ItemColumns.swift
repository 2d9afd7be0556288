import Foundation
import Model
import Presenting
import Reading
import Store

/// Events as arrays by column: a fifth of the bytes of features, for a map.
struct ItemColumns: Sendable {
    /// The columns of every answer; those asked for by `properties` follow. Times are milliseconds since 1970.
    static let names = ["id", "time", "longitude", "latitude", "category", "weight", "magnitude"]

    private static let weight = EventProperty.named("weight")

    private let properties: [EventProperty]
    private let hasExact: Bool
    private let areVersions: Bool
    private var names: [String]
    private var columns: [[UInt8]]
    /// The bytes of all columns.
    private(set) var byteCount = 0

    /// - Parameters:
    ///   - properties: Further columns.
    ///   - hasExact: Whether a column `exact` says if a state is known exactly.
    ///   - areVersions: Whether `known_from` and `known_to` say when a version was known.
    init(_ properties: [EventProperty], hasExact: Bool, areVersions: Bool = false) {
        self.properties = properties.filter { !Self.names.contains($0.name) }
        self.hasExact = hasExact
        self.areVersions = areVersions
        names = Self.names + self.properties.map(\.name)
        if hasExact { names.append("exact") }
        if areVersions { names += ["known_from", "known_to"] }
        columns = names.map { _ in [] }
    }

    mutating func append(_ version: EventVersion) {
        append(
            version.stored, isExact: version.isExact,
            known: [
                "\(version.from.milliseconds)", version.to.map { "\($0.milliseconds)" } ?? "null",
            ])
    }

    /// - Parameter known: The values of `known_from` and `known_to`.
    mutating func append(_ stored: StoredEvent, isExact: Bool?, known: [String] = []) {
        let event = stored.event
        let coordinate = event.location?.coordinate
        var values = [
            stored.publicID.jsonQuoted, "\((event.time ?? stored.firstSeen).milliseconds)",
            coordinate?.longitude.jsonText ?? "null", coordinate?.latitude.jsonText ?? "null",
            event.category.rawValue.jsonQuoted, Self.weight?.value(of: stored)?.json ?? "null",
            event.magnitude?.jsonText ?? "null",
        ]
        values += properties.map { $0.value(of: stored)?.json ?? "null" }
        if hasExact { values.append(isExact == false ? "false" : "true") }
        values += known
        for (index, value) in values.enumerated() where index < columns.count {
            if !columns[index].isEmpty { columns[index].append(UInt8(ascii: ",")) }
            columns[index] += value.utf8
            byteCount += value.utf8.count + 1
        }
    }

    /// Appends the member `columns` of the answer, and forgets the columns.
    mutating func move(to text: inout [UInt8]) {
        text.reserveCapacity(text.count + byteCount + 1024)
        text += "\"columns\":{".utf8
        for index in columns.indices {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text += "\(names[index].jsonQuoted):[".utf8
            text += columns[index]
            text.append(UInt8(ascii: "]"))
            columns[index] = []
        }
        text.append(UInt8(ascii: "}"))
    }
}
