import Foundation
import Model
import Reading

/// The parameters of a request, taken one by one; what is left at the end is unknown.
struct Parameters: Sendable {
    /// All parameters in the order of the request.
    let items: [QueryItem]
    /// The place that `near` names; nil: it has not been looked for.
    let place: Coordinate?
    private var left: [String: [String]] = [:]
    private var known: [String] = []
    private var refused: [String] = []

    /// Reads the query of a request; throws for broken percent-encoding.
    init(_ request: APIRequest) throws(Problem) {
        items = try QueryItem.items(of: request.query)
        place = request.place
        for item in items { left[item.name, default: []].append(item.value) }
    }

    /// Whether the parameter is there and not taken yet.
    func has(_ name: String) -> Bool { left[name] != nil }

    /// Refuses a parameter that is known elsewhere, and names it no more among those that are taken.
    mutating func refuse(_ name: String, accepted: String) throws(Problem) {
        refused.append(name)
        guard let values = left[name] else { return }
        throw .parameter(name, found: values.joined(separator: " "), accepted: accepted)
    }

    /// Takes a text; nil if it is missing. An empty or repeated one is refused.
    /// - Parameter once: What to do about a repeated one.
    mutating func take(
        _ name: String, accepted: String = "one value", once: String = "give it once"
    ) throws(Problem) -> String? {
        known.append(name)
        guard let values = left.removeValue(forKey: name) else { return nil }
        guard values.count == 1 else {
            let times = values.count == 2 ? "twice" : "\(values.count) times"
            throw .parameter(
                name, found: values.joined(separator: " "), accepted: accepted,
                detail: "\(name) is given \(times); \(once)")
        }
        guard !values[0].isEmpty else { throw .parameter(name, found: "", accepted: accepted) }
        return values[0]
    }

    /// Takes a value; one that is missing gives nil, and one for which `read` gives nil is refused.
    mutating func take<Value>(
        _ name: String, accepted: String, once: String = "give it once", _ read: (String) -> Value?
    ) throws(Problem) -> Value? {
        guard let text = try take(name, accepted: accepted, once: once) else { return nil }
        guard let value = read(text) else { throw .parameter(name, found: text, accepted: accepted) }
        return value
    }

    /// The most values of a list: each is compared with each event, and with each change for each stream.
    static let mostValues = 100

    /// Takes the values of a list, separated by commas or in repeated parameters; empty if it is missing.
    mutating func takeList(_ name: String) throws(Problem) -> [String] {
        known.append(name)
        guard let values = left.removeValue(forKey: name) else { return [] }
        var list: [String] = []
        for value in values {
            for word in value.split(separator: ",", omittingEmptySubsequences: false) {
                guard !word.isEmpty else {
                    throw .parameter(name, found: value, accepted: "values separated by commas")
                }
                list.append(String(word))
            }
        }
        guard list.count <= Self.mostValues else {
            throw .parameter(name, found: values.joined(separator: ","), accepted: "up to \(Self.mostValues) values")
        }
        return list
    }

    /// Takes the values of a list of known words.
    mutating func takeWords<Word: RawRepresentable<String> & CaseIterable>(
        _ name: String, _ type: Word.Type = Word.self
    ) throws(Problem) -> [Word] {
        var words: [Word] = []
        for text in try takeList(name) {
            guard let word = Word.allCases.first(where: { $0.rawValue == text }) else {
                throw .parameter(name, found: text, accepted: Self.listed(Word.self))
            }
            words.append(word)
        }
        return words
    }

    /// Takes one of the known words.
    mutating func takeWord<Word: RawRepresentable<String> & CaseIterable>(
        _ name: String, _ type: Word.Type = Word.self
    ) throws(Problem) -> Word? {
        try take(name, accepted: Self.listed(Word.self)) { text in Word.allCases.first { $0.rawValue == text } }
    }

    /// Takes `true` or `false`.
    mutating func takeFlag(_ name: String) throws(Problem) -> Bool? {
        try take(name, accepted: "true or false") { Bool($0) }
    }

    /// Takes a finite number.
    /// - Parameter accepted: The numbers that the caller accepts, in words, with their unit.
    mutating func takeNumber(
        _ name: String, accepted: String = "a number, such as 5.5"
    ) throws(Problem) -> Double? {
        try take(name, accepted: accepted) { NumberReader.double($0) }
    }

    /// Takes the least and the most of a quantity, each a finite number; nil where it is missing. A least above the most
    /// is refused.
    /// - Parameter accepted: As in `takeNumber`.
    mutating func takeRange(
        _ leastName: String, _ mostName: String, accepted: String
    ) throws(Problem) -> (least: Double?, most: Double?) {
        let least = try takeNumber(leastName, accepted: accepted)
        let most = try takeNumber(mostName, accepted: accepted)
        if let least, let most, least > most {
            throw .parameter(
                leastName, found: least.jsonText, accepted: "at most \(mostName), which is \(most.jsonText)")
        }
        return (least, most)
    }

    /// Takes a whole number within a range.
    mutating func takeWhole(_ name: String, in range: ClosedRange<Int64>) throws(Problem) -> Int64? {
        let end = range.upperBound == .max ? "on" : "to \(range.upperBound)"
        return try take(name, accepted: "a whole number from \(range.lowerBound) \(end)") { text in
            Int64(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// Takes `limit`, `usual` (100) by default. A larger one than `most` is no error and means that (OGC API Features,
    /// Part 1, `/req/core/fc-limit-response-1`).
    mutating func takeLimit(atMost most: Int, usual: Int = 100) throws(Problem) -> Int {
        let accepted = "a whole number from 1 on; above \(most) it means \(most)"
        let limit = try take("limit", accepted: accepted) { text in
            let isNumber = text.utf8.allSatisfy { (0x30...0x39).contains($0) } && text.utf8.contains { $0 != 0x30 }
            return isNumber ? Int(text) ?? most : nil
        }
        return min(limit ?? usual, most)
    }

    /// Takes a time of RFC 3339 §5.6 or a date.
    mutating func takeTime(_ name: String) throws(Problem) -> Date? {
        try takeTime(name, accepted: TimeText.accepted) { TimeText.instant($0) }
    }

    /// Takes a time or an interval; one that is counted from now is refused with `example`.
    mutating func takeTime<Time>(
        _ name: String, accepted: String, example: String = "2026-03-01T10:15:00Z", _ read: (String) -> Time?
    ) throws(Problem) -> Time? {
        guard let text = try take(name, accepted: accepted) else { return nil }
        guard let time = read(text) else {
            throw .noTime(name, found: text, accepted: accepted, example: example)
        }
        return time
    }

    /// Takes numbers separated by commas, as many as one of `counts`.
    mutating func takeNumbers(_ name: String, _ counts: [Int], accepted: String) throws(Problem) -> [Double]? {
        let once = "give it once, its numbers separated by commas"
        return try take(name, accepted: accepted, once: once) { text in
            let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            let numbers = parts.compactMap { part -> Double? in
                let words = part.split(separator: " ")
                return words.count == 1 ? NumberReader.double(words[0]) : nil
            }
            return counts.contains(parts.count) && numbers.count == parts.count ? numbers : nil
        }
    }

    /// Refuses what has not been taken: a parameter that nobody knows is a mistake, not a condition that holds.
    func end() throws(Problem) {
        guard let item = items.first(where: { left[$0.name] != nil }) else { return }
        let taken = known.filter { !refused.contains($0) }.sorted()
        throw .parameter(
            item.name, found: item.value, accepted: taken.isEmpty ? "no parameters" : taken.joined(separator: ", "),
            detail: "there is no parameter \(item.name) here" + MeantParameter.hint(for: item.name, among: taken))
    }

    private static func listed<Word: RawRepresentable<String> & CaseIterable>(_ type: Word.Type) -> String {
        Word.allCases.map(\.rawValue).joined(separator: ", ")
    }
}
