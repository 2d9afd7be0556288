public import Foundation

/// Removes texts that must not be kept, such as keys, from what a server has answered.
///
/// A server may repeat a request in an error page. Each text is found as it is and as pages write it: percent-encoded,
/// as base64, escaped in JSON, HTML and XML. What is found becomes stars, so nothing grows. The time is linear in the
/// length of the answer and of the texts (A. Aho, M. Corasick, "Efficient String Matching", 1975).
public struct Scrubber: Sendable {
    /// A text that has been read up to some byte: where each next byte leads, and the state of its longest ending that
    /// also begins a text.
    private struct State: Sendable {
        var next: [UInt8: Int] = [:]
        var fallback = 0
        /// Number of bytes read.
        let depth: Int
        /// Length of the longest text that ends here; 0: none.
        var found = 0
    }

    private var states = [State(depth: 0)]

    /// Texts with fewer bytes are left: they would be found everywhere.
    public static let shortest = 4

    /// Creates a scrubber of these texts; those below `shortest` bytes are left out.
    public init(_ texts: some Sequence<String>) {
        for text in Set(texts) where text.utf8.count >= Self.shortest {
            for form in Self.forms(of: text) where form.utf8.count >= Self.shortest { insert(form.utf8) }
        }
        link()
    }

    /// The bytes with a star in place of each byte of a text. The beginning of a text at the end goes, too, since the
    /// bytes may have been cut there.
    public func scrubbed(_ bytes: Data) -> Data {
        guard states.count > 1 else { return bytes }
        var bytes = Data(bytes)
        var found = [Int](repeating: 0, count: bytes.count)
        var state = 0
        for (index, byte) in bytes.enumerated() {
            state = step(from: state, by: byte)
            found[index] = states[state].found
        }
        if let last = found.indices.last, states[state].depth >= Self.shortest {
            found[last] = max(found[last], states[state].depth)
        }
        // Backwards, so that each byte is looked at once however the texts overlap.
        var start = found.count
        for index in found.indices.reversed() {
            start = min(start, index + 1 - found[index])
            if index >= start { bytes[bytes.startIndex + index] = UInt8(ascii: "*") }
        }
        return bytes
    }

    /// The text with a star in place of each byte of a text, like `scrubbed` for bytes.
    public func scrubbed(_ text: String) -> String {
        states.count > 1 ? String(decoding: scrubbed(Data(text.utf8)), as: UTF8.self) : text
    }

    // MARK: - States

    private mutating func insert(_ bytes: String.UTF8View) {
        var state = 0
        for byte in bytes {
            if let next = states[state].next[byte] {
                state = next
            } else {
                states.append(State(depth: states[state].depth + 1))
                states[state].next[byte] = states.count - 1
                state = states.count - 1
            }
        }
        states[state].found = states[state].depth
    }

    /// Sets the fallbacks, those of shorter beginnings first.
    private mutating func link() {
        var queue = Array(states[0].next.values)
        var head = 0
        while head < queue.count {
            let state = queue[head]
            head += 1
            for (byte, next) in states[state].next {
                queue.append(next)
                let fallback = step(from: states[state].fallback, by: byte)
                states[next].fallback = fallback
                states[next].found = max(states[next].found, states[fallback].found)
            }
        }
    }

    private func step(from state: Int, by byte: UInt8) -> Int {
        var state = state
        while true {
            if let next = states[state].next[byte] { return next }
            if state == 0 { return 0 }
            state = states[state].fallback
        }
    }

    // MARK: - Forms

    /// A text as pages may repeat it.
    private static func forms(of text: String) -> Set<String> {
        let base64 = Data(text.utf8).base64EncodedString()
        let json = String(text.jsonQuoted.dropFirst().dropLast())
        let encoded = text.percentEncoded
        let lowered = encoded.replacing(/%[0-9A-F]{2}/) { $0.output.lowercased() }
        var forms: Set = [
            text, encoded, lowered, encoded.replacing("%20", with: "+"), json, json.replacing("/", with: "\\/"),
            String(base64.prefix { $0 != "=" }),
        ]
        forms.insert(String(base64.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }.prefix { $0 != "=" }))
        let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        for quote in ["\"", "&quot;", "&#34;"] {
            for apostrophe in ["'", "&#39;", "&#x27;", "&apos;"] {
                forms.insert(escaped.replacing("\"", with: quote).replacing("'", with: apostrophe))
            }
        }
        return forms
    }
}

extension FetchRequest {
    /// A scrubber of what must not be kept of this request: credentials, values of headers beside the ordinary ones,
    /// and values of query and form, encoded or not.
    /// - Parameters:
    ///   - secrets: Further secrets, such as those of the source; default: none.
    ///   - url: The URL that a redirect led from; nil, the default: none.
    public func scrubber(besides secrets: [Secret] = [], redirectedFrom url: String? = nil) -> Scrubber {
        var texts = secrets.map(\.value)
        for (name, value) in headers where !Self.ordinary.contains(name.lowercased()) { texts.append(value) }
        if let value = authorization?.value {
            texts.append(value)
            for word in value.split(separator: " ").dropFirst() {
                texts.append(String(word))
                // A user's name and password (RFC 7617).
                let pair = Data(base64Encoded: String(word)).map { String(decoding: $0, as: UTF8.self) }
                if let pair { texts += [pair] + pair.split(separator: ":", maxSplits: 1).map { String($0) } }
            }
        }
        for query in [URLParts(self.url)?.query, url.flatMap { URLParts($0)?.query }, form].compactMap({ $0 }) {
            for part in query.split(separator: "&") {
                let value = part.split(separator: "=", maxSplits: 1).last.map { String($0) } ?? ""
                let spaced = value.replacing("+", with: " ")
                texts += [value, value.removingPercentEncoding ?? value, spaced.removingPercentEncoding ?? spaced]
            }
        }
        return Scrubber(texts)
    }

    /// Headers that tell nothing worth hiding, in lower case.
    private static let ordinary: Set = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "content-type", "user-agent",
    ]
}

extension Failure {
    /// The failure with message and excerpt scrubbed.
    public func scrubbed(by scrubber: Scrubber) -> Failure {
        var failure = self
        failure.message = scrubber.scrubbed(message)
        failure.excerpt = excerpt.map { scrubber.scrubbed($0) }
        return failure
    }
}

extension FeedAnswer {
    /// Scrubs what issues quote, and the failures of a stream. Events are what the feed says.
    public mutating func scrub(by scrubber: Scrubber) {
        for index in issues.indices {
            issues[index].position = scrubber.scrubbed(issues[index].position)
            issues[index].found = scrubber.scrubbed(issues[index].found)
        }
        closing = closing?.scrubbed(by: scrubber)
        unrecognized = unrecognized?.scrubbed(by: scrubber)
    }
}
