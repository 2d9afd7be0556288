/// Where the parts of a URL with an authority stand, as offsets into its bytes (RFC 3986 §3).
///
/// Politeness, credentials, the configuration and the identities of events go by it. `Fetching` leaves the call to
/// libcurl, and refuses what that might read otherwise (`isSound`).
public struct URLLayout: Sendable, Hashable {
    /// What stands before `://`; may be empty.
    public let scheme: Range<Int>
    /// Whether a user is named in front of the host.
    public let hasUser: Bool
    /// The host, an IPv6 address with its brackets; may be empty.
    public let host: Range<Int>
    /// The port without its colon; nil: none is given.
    public let port: Range<Int>?
    /// The path from its first `/`; may be empty.
    public let path: Range<Int>
    /// The query without its `?`; nil: there is none.
    public let query: Range<Int>?

    /// Takes a URL apart; nil for a text without `://` behind its first colon.
    public init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon + 2 < bytes.count,
            bytes[colon + 1] == UInt8(ascii: "/"), bytes[colon + 2] == UInt8(ascii: "/")
        else { return nil }
        scheme = 0..<colon
        var start = colon + 3
        let authorityEnd =
            bytes[start...].firstIndex { $0 == slash || $0 == question || $0 == numberSign } ?? bytes.count
        let at = bytes[start..<authorityEnd].lastIndex(of: UInt8(ascii: "@"))
        hasUser = at != nil
        if let at { start = at + 1 }
        let bracket = bytes[start..<authorityEnd].lastIndex(of: UInt8(ascii: "]")) ?? start
        if let colon = bytes[bracket..<authorityEnd].lastIndex(of: UInt8(ascii: ":")) {
            host = start..<colon
            port = (colon + 1)..<authorityEnd
        } else {
            host = start..<authorityEnd
            port = nil
        }
        let pathEnd = bytes[authorityEnd...].firstIndex { $0 == question || $0 == numberSign } ?? bytes.count
        path = authorityEnd..<pathEnd
        guard pathEnd < bytes.count, bytes[pathEnd] == question else {
            query = nil
            return
        }
        query = (pathEnd + 1)..<(bytes[pathEnd...].firstIndex(of: numberSign) ?? bytes.count)
    }

    /// Whether the scheme is the given one, which is in lower case.
    private func hasScheme(_ name: StaticString, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        scheme.count == name.utf8CodeUnitCount && bytes[scheme].elementsEqual(name.bytes) { lowercased($0) == $1 }
    }

    /// Whether the scheme is http or https.
    public func isWeb(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        hasScheme("https", in: bytes) || hasScheme("http", in: bytes)
    }

    /// Whether nobody can read another host or port out of it: a host without user, escapes (but for the zone of an IPv6
    /// address, RFC 6874 §2) and delimiters, and no port or one of 1…65535.
    public func isSound(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard !hasUser, !host.isEmpty else { return false }
        if bytes[host.lowerBound] == UInt8(ascii: "[") {
            guard host.count > 2, bytes[host.upperBound - 1] == UInt8(ascii: "]") else { return false }
            let literal = bytes[(host.lowerBound + 1)..<(host.upperBound - 1)]
            let zone = literal.firstIndex(of: UInt8(ascii: "%")) ?? literal.endIndex
            guard zone > literal.startIndex, literal[..<zone].allSatisfy(Self.isInAddress),
                literal[zone...].isEmpty || (literal[zone...].starts(with: "%25".utf8) && zone + 3 < literal.endIndex),
                literal[zone...].dropFirst().allSatisfy(Self.isInName)
            else { return false }
        } else {
            guard bytes[host].allSatisfy(Self.isInName) else { return false }
        }
        guard let port else { return true }
        guard port.count <= 5, bytes[port].allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return false }
        return port.isEmpty || (1...65535).contains(bytes[port].reduce(0) { $0 * 10 + Int($1 - 0x30) })
    }

    private static func isInAddress(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66, UInt8(ascii: ":"), UInt8(ascii: "."): true
        default: false
        }
    }

    /// Visible characters but for delimiters, and all beyond ASCII, which libcurl takes for an internationalised name.
    private static func isInName(_ byte: UInt8) -> Bool {
        switch byte {
        // " % : < > [ \ ] ^ ` { | }
        case 0...0x20, 0x22, 0x25, 0x3A, 0x3C, 0x3E, 0x5B...0x5E, 0x60, 0x7B...0x7D, 0x7F: false
        default: true
        }
    }
}

/// A URL with its parts, which are copied on access only.
public struct URLParts: Sendable, Hashable {
    /// The URL as it was given.
    public let text: String
    private let layout: URLLayout

    /// Takes a URL of any scheme apart; nil for a text without `://` behind its first colon.
    public init?(_ text: String) {
        var text = text
        guard let layout = text.withUTF8({ URLLayout($0) }) else { return nil }
        self.text = text
        self.layout = layout
    }

    /// The scheme in lower case.
    public var scheme: String { part(layout.scheme).lowercased() }
    /// Whether a user is named in front of the host.
    public var hasUser: Bool { layout.hasUser }
    /// Whether there is a host at all.
    public var hasHost: Bool { !layout.host.isEmpty }
    /// Whether the host has an escape; in a sound one that begins the zone of an IPv6 address.
    public var hasEscapeInHost: Bool { bytes { $0[layout.host].contains(UInt8(ascii: "%")) } }
    /// The host in lower case, an IPv6 address with its brackets; may be empty.
    public var host: String { part(layout.host).lowercased() }
    /// The port as it is written; nil: none is given.
    public var port: String? { layout.port.map { part($0) } }
    /// Host and port, without user, in lower case.
    public var authority: String {
        part(layout.host.lowerBound..<(layout.port ?? layout.host).upperBound).lowercased()
    }
    /// The path from its first `/`; may be empty.
    public var path: String { part(layout.path) }
    /// The query without its `?`; nil: there is none.
    public var query: String? { layout.query.map { part($0) } }
    /// Scheme, authority and path as given.
    public var location: String { part(0..<layout.path.upperBound) }

    /// Whether it is an http or https URL.
    public var isWeb: Bool { bytes { layout.isWeb(in: $0) } }
    /// As of `URLLayout.isSound(in:)`.
    public var isSound: Bool { bytes { layout.isSound(in: $0) } }

    /// Whether it is that text byte for byte; `==` takes for equal what Unicode does.
    public func isExactly(_ other: String) -> Bool {
        guard text.utf8.count == other.utf8.count else { return false }
        return bytes { own in other.utf8.withContiguousStorageIfAvailable { own.elementsEqual($0) } ?? false }
    }

    /// Whether the host is `domain`, which is in lower case, or lies below it.
    public func isBelow(_ domain: StaticString) -> Bool {
        let start = layout.host.upperBound - domain.utf8CodeUnitCount
        guard start >= layout.host.lowerBound else { return false }
        return bytes { bytes in
            bytes[start..<layout.host.upperBound].elementsEqual(domain.bytes) { lowercased($0) == $1 }
                && (start == layout.host.lowerBound || bytes[start - 1] == UInt8(ascii: "."))
        }
    }

    /// Whether the host is the given one, which is in lower case.
    public func isAt(_ host: StaticString) -> Bool { layout.host.count == host.utf8CodeUnitCount && isBelow(host) }

    private func part(_ range: Range<Int>) -> String {
        String(decoding: text.utf8.dropFirst(range.lowerBound).prefix(range.count), as: UTF8.self)
    }

    private func bytes(_ body: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
        text.utf8.withContiguousStorageIfAvailable(body) ?? false
    }
}

extension String {
    /// A URL without its query and fragment: as it may be logged, since a query may hold a key.
    public var withoutQuery: String {
        utf8.firstIndex { $0 == question || $0 == numberSign }.map { String(self[..<$0]) } ?? self
    }
}

extension StaticString {
    fileprivate var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }
}

private func lowercased(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }

private let slash = UInt8(ascii: "/")
private let question = UInt8(ascii: "?")
private let numberSign = UInt8(ascii: "#")
