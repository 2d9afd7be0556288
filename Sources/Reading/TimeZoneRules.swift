import Foundation
import Synchronization

/// The offsets from UTC of a zone of IANA's database, such as `America/Los_Angeles`, from its file (TZif, RFC 9636).
///
/// The rule for the time behind the last transition of the file is not read: Debian's files list transitions up to 2037,
/// and later times have the last offset.
public struct TimeZoneRules: Sendable, Hashable {
    /// The transitions in seconds since 1970, ascending.
    private let transitions: [Int64]
    /// Seconds east of UTC before the first transition and after each.
    private let offsets: [Int]

    /// The rules of a zone on this machine, which are read once; nil for an unknown name.
    /// - Parameter folder: The folder of the files, which the package tzdata brings.
    public static func named(_ name: String, in folder: String = "/usr/share/zoneinfo") -> TimeZoneRules? {
        let path = folder + "/" + name
        if let known = known.withLock({ $0[path] }) { return known }
        guard isName(name) else { return nil }
        let rules = FileManager.default.contents(atPath: path).flatMap { TimeZoneRules([UInt8]($0)) }
        known.withLock { if $0.count < mostKnown { $0.updateValue(rules, forKey: path) } }
        return rules
    }

    /// The names that have been asked for, also those without a file: a document may repeat one in each item.
    private static let known = Mutex<[String: TimeZoneRules?]>([:])
    /// There are fewer than 600 files.
    private static let mostKnown = 1_000

    /// `Area/City` or `Area/Region/City`; a file outside the folder has no such name.
    private static func isName(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        return (2...3).contains(parts.count) && name.utf8.count <= 40
            && parts.allSatisfy { part in
                part.first?.isLetter == true
                    && part.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || [0x2B, 0x2D, 0x5F].contains($0) }
            }
    }

    /// Reads the bytes of a file; nil if they are no sound TZif.
    init?(_ bytes: [UInt8]) {
        guard let first = Header(bytes, at: 0) else { return nil }
        // Version 1 has transitions in 32 bits; what follows it has them in 64 (§3.2).
        var (header, width) = (first, 4)
        if bytes[4] >= UInt8(ascii: "2") {
            guard let second = Header(bytes, at: first.end(width: 4)) else { return nil }
            (header, width) = (second, 8)
        }
        guard header.end(width: width) <= bytes.count, header.types > 0 else { return nil }
        func number(at start: Int, _ width: Int) -> Int64 {
            let value = bytes[start..<start + width].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return width == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(truncatingIfNeeded: value)
        }
        let indexes = header.start + header.times * width
        let kinds = indexes + header.times
        let all = (0..<header.types).map { Int(number(at: kinds + $0 * 6, 4)) }
        let used = bytes[indexes..<kinds].map { Int($0) }
        guard all.allSatisfy({ (-93_600...93_600).contains($0) }), used.allSatisfy({ $0 < all.count }) else {
            return nil
        }
        transitions = (0..<header.times).map { number(at: header.start + $0 * width, width) }
        offsets = [all[0]] + used.map { all[$0] }
        guard zip(transitions, transitions.dropFirst()).allSatisfy({ $0 < $1 }) else { return nil }
    }

    /// The counts of a header, and where its data begin (§3.1).
    private struct Header {
        let start: Int
        let (times, types): (Int, Int)
        private let rest: (utc: Int, standard: Int, leaps: Int, characters: Int)

        init?(_ bytes: [UInt8], at offset: Int) {
            guard bytes.count >= offset + 44, bytes[offset..<offset + 4].elementsEqual("TZif".utf8) else { return nil }
            let counts = (0..<6).map { index in
                bytes[(offset + 20 + index * 4)..<(offset + 24 + index * 4)].reduce(0) { $0 << 8 | Int($1) }
            }
            // A real file has some hundred of each.
            guard counts.allSatisfy({ $0 < 10_000 }) else { return nil }
            start = offset + 44
            rest = (counts[0], counts[1], counts[2], counts[5])
            (times, types) = (counts[3], counts[4])
        }

        /// Where the data end, whose times have this many bytes.
        func end(width: Int) -> Int {
            let rules = times * (width + 1) + types * 6 + rest.characters
            return start + rules + rest.leaps * (width + 4) + rest.standard + rest.utc
        }
    }

    /// Seconds east of UTC at a time in seconds since 1970.
    public func offset(at time: Int64) -> Int {
        var (low, high) = (0, transitions.count)
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle] <= time { low = middle + 1 } else { high = middle }
        }
        return offsets[low]
    }

    /// Seconds east of UTC at a local time, given as seconds since 1970 as if it were UTC. Of a time that a clock shows
    /// twice the first is taken, and one that it skips counts as before the change.
    public func offset(atLocal time: Int64) -> Int {
        let (before, after) = (offset(at: time - 86_400), offset(at: time + 86_400))
        return offset(at: time - Int64(before)) == before || offset(at: time - Int64(after)) != after ? before : after
    }
}
