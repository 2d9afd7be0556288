package import Foundation
package import Model

/// The headers of an answer, collected line by line. Only the last block counts; interim blocks (1xx) are dropped.
package struct ResponseHead {
    /// Values by lower-case name; repeated ones are joined by ", ".
    private(set) var fields: [String: String] = [:]
    /// Whether the empty line at the end of a block has come.
    private(set) var isComplete = false
    /// Number of bytes of all lines so far, including dropped blocks and trailers.
    private(set) var byteCount = 0

    private var lastName: String?

    /// Creates a head without lines.
    package init() {}

    /// Longer validators are dropped: sent back, they could make every later request fail.
    private static let longestValidator = 4096

    /// Takes one line with its line break, as libcurl delivers it: first a status line, then fields, then an empty
    /// line.
    ///
    /// Lines that are no fields are ignored. The caller limits `byteCount`.
    package mutating func take(_ line: UnsafeRawBufferPointer) {
        let isFirst = byteCount == 0
        byteCount += line.count
        if isFirst { return }  // the status line
        var bytes = Array(line)[...]
        while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
        if isComplete {
            // The next line is the status line of another block, or a trailer, which is dropped.
            guard bytes.starts(with: "HTTP/".utf8) else { return }
            fields = [:]
            isComplete = false
            lastName = nil
            return
        }
        guard let first = bytes.first else {
            isComplete = true
            return
        }
        if first == 0x20 || first == 0x09 {
            // A folded line, which a client joins to the line before (RFC 9112 §5.2).
            guard let lastName else { return }
            // In place: a copy for each line would take quadratic time.
            fields[lastName]?.append(" " + HeaderText.text(Self.trimmed(bytes)))
            return
        }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return }
        let name = HeaderText.text(Self.trimmed(bytes[..<colon])).lowercased()
        let value = HeaderText.text(Self.trimmed(bytes[(colon + 1)...]))
        if fields[name] == nil {
            fields[name] = value
        } else {
            fields[name]?.append(", " + value)
        }
        lastName = name
    }

    /// ETag and Last-Modified, byte for byte; each nil if it is missing, empty, above 4 KiB or holds a control
    /// character other than a tab.
    package var validators: Validators {
        func kept(_ name: String) -> String? {
            guard let value = fields[name], !value.isEmpty, value.utf8.count <= Self.longestValidator,
                HeaderText.isSendable(value)
            else { return nil }
            return value
        }
        return Validators(etag: kept("etag"), lastModified: kept("last-modified"))
    }

    /// The coding of the body (RFC 9110 §8.4) in lower case; nil if there is none. Some servers write `none` for that.
    var contentCoding: String? {
        let coding = (fields["content-encoding"] ?? "").lowercased()
        return ["", "identity", "none"].contains(coding) ? nil : coding
    }

    /// The server's clock: the first readable Date plus Age (RFC 9110 §6.6.1, RFC 9111 §5.1); nil if there is none.
    var date: Date? {
        let age = parts("age").first.flatMap(Self.number) ?? 0
        return parts("date").compactMap(Self.date).first?.addingTimeInterval(age)
    }

    /// `Cache-Control: max-age` (RFC 9111 §5.2.2.1), 0 s to a year of 365 days; nil if it is missing or unreadable.
    package var maxAge: Duration? {
        guard let value = fields["cache-control"]?.lowercased() else { return nil }
        for part in Array(value.utf8).split(separator: UInt8(ascii: ",")) {
            let directive = Self.trimmed(part)
            guard directive.starts(with: "max-age=".utf8) else { continue }
            let digits = directive.dropFirst(8).filter { $0 != UInt8(ascii: "\"") }
            guard let seconds = Self.number(String(decoding: digits, as: UTF8.self)) else { return nil }
            return .seconds(Int64(clamping: min(seconds, 31_536_000)))
        }
        return nil
    }

    /// The earliest time of the next request: Retry-After (RFC 9110 §10.2.3), the longest of several, or `resetHeader`
    /// on a 429 without it. It is at most a day after `now`; nil if there is none or it has passed.
    ///
    /// A date counts as a distance from the server's own clock, so a wrong clock here does no harm.
    /// - Parameter resetHeader: Name, in lower case, of the header with the end of a rate limit in whole seconds since
    ///   1970; nil, the default: none.
    package func retryAfter(status: Int, resetHeader: String? = nil, now: Date) -> Date? {
        func distance() -> Double? {
            if fields["retry-after"] != nil {
                return parts("retry-after").compactMap { part in
                    Self.number(part) ?? Self.date(part)?.timeIntervalSince(date ?? now)
                }.max()
            }
            guard status == 429, let resetHeader, let text = fields[resetHeader], let seconds = Self.number(text)
            else { return nil }
            return seconds - (date ?? now).timeIntervalSince1970
        }
        guard let delay = distance(), delay >= 0 else { return nil }
        return now.addingTimeInterval(min(delay, 86_400))
    }

    /// The values of a field, split at commas: origin and proxy may both have set it. A date loses its weekday.
    private func parts(_ name: String) -> [String] {
        Array((fields[name] ?? "").utf8).split(separator: UInt8(ascii: ",")).map {
            String(decoding: Self.trimmed($0), as: UTF8.self)
        }
    }

    /// The date in a part of a field, which may have lost its weekday.
    private static func date(_ part: String) -> Date? { HTTPDate.parse(part) ?? HTTPDate.parse("Day, " + part) }

    /// The number in a text of digits only, at most `largestNumber`; nil for other text.
    private static func number(_ text: String) -> Double? {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        return Double(text).map { min($0, largestNumber) }
    }

    /// The largest number of seconds that is believed: some 317 years, or 1970 plus them.
    private static let largestNumber = 1e10

    /// `bytes` without leading and trailing spaces and tabs.
    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        var rest = bytes.drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return rest
    }
}
