/// Byte offsets of the parts of a URL with an authority (RFC 3986 §3).
///
/// Politeness, credentials, the configuration and the identities of events rely on it. libcurl parses the URL again for
/// the request; `Fetching` refuses URLs that it might parse differently (`isSound`).
public struct URLLayout: Sendable, Hashable {
    /// The text before `://`; may be empty.
    public let scheme: Range<Int>
    /// Whether there is a user name (`user@`, possibly empty) before the host.
    public let hasUser: Bool
    /// The host without user and port, an IPv6 address with its brackets; may be empty.
    public let host: Range<Int>
    /// The port without its colon, possibly empty and not checked; nil if there is none.
    public let port: Range<Int>?
    /// The path from its first `/` to `?` or `#`; may be empty.
    public let path: Range<Int>
    /// The query without its `?` and the fragment; nil if there is none.
    public let query: Range<Int>?

    /// Parses the UTF-8 text of a URL; nil for a text whose first colon is not followed by `//`. Offsets count from the
    /// first byte.
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

    /// Whether the scheme, in any case, is the given name in lower case.
    private func hasScheme(_ name: StaticString, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        scheme.count == name.utf8CodeUnitCount && bytes[scheme].elementsEqual(name.bytes) { lowercased($0) == $1 }
    }

    /// Whether the scheme is http or https, in any case.
    /// - Parameter bytes: The text that the layout was made from; another one may trap.
    public func isWeb(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        hasScheme("https", in: bytes) || hasScheme("http", in: bytes)
    }

    /// Whether every parser finds the same host and port: a host without user, delimiters and escapes (except in the
    /// zone of an IPv6 address, RFC 6874 §2), and no port or one of 1…65535.
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

    /// Visible characters except delimiters, and all beyond ASCII, which libcurl takes as an internationalised name.
    private static func isInName(_ byte: UInt8) -> Bool {
        switch byte {
        // " % : < > [ \ ] ^ ` { | }
        case 0...0x20, 0x22, 0x25, 0x3A, 0x3C, 0x3E, 0x5B...0x5E, 0x60, 0x7B...0x7D, 0x7F: false
        default: true
        }
    }
}

/// A URL with its parts, which are copied only on access.
public struct URLParts: Sendable, Hashable {
    /// The URL as it was given, unchanged.
    public let text: String
    private let layout: URLLayout

    /// Parses a URL of any scheme; nil for a text whose first colon is not followed by `//`.
    public init?(_ text: String) {
        var text = text
        guard let layout = text.withUTF8({ URLLayout($0) }) else { return nil }
        self.text = text
        self.layout = layout
    }

    /// The scheme in lower case; may be empty.
    public var scheme: String { part(layout.scheme).lowercased() }
    /// Whether there is a user name before the host.
    public var hasUser: Bool { layout.hasUser }
    /// Whether the host is not empty.
    public var hasHost: Bool { !layout.host.isEmpty }
    /// Whether the host has an escape; in a sound URL that begins the zone of an IPv6 address.
    public var hasEscapeInHost: Bool { bytes { $0[layout.host].contains(UInt8(ascii: "%")) } }
    /// The host in lower case, an IPv6 address with its brackets; may be empty.
    public var host: String { part(layout.host).lowercased() }
    /// The port as written, possibly empty; nil if there is none.
    public var port: String? { layout.port.map { part($0) } }
    /// Host and port in lower case, without the user: `example.org:8080`.
    public var authority: String {
        part(layout.host.lowerBound..<(layout.port ?? layout.host).upperBound).lowercased()
    }
    /// The path as written, from its first `/`; may be empty.
    public var path: String { part(layout.path) }
    /// The query as written, without its `?` and the fragment; nil if there is none.
    public var query: String? { layout.query.map { part($0) } }
    /// The URL as given up to the end of its path: scheme, authority (with the user, if any) and path.
    public var location: String { part(0..<layout.path.upperBound) }

    /// Whether the scheme is http or https, in any case.
    public var isWeb: Bool { bytes { layout.isWeb(in: $0) } }
    /// Whether every parser finds the same host and port (`URLLayout.isSound(in:)`).
    public var isSound: Bool { bytes { layout.isSound(in: $0) } }

    /// Whether the texts are equal byte for byte; `==` compares by canonical equivalence.
    public func isExactly(_ other: String) -> Bool {
        guard text.utf8.count == other.utf8.count else { return false }
        return bytes { own in other.utf8.withContiguousStorageIfAvailable { own.elementsEqual($0) } ?? false }
    }

    /// Whether the host, in any case, is `domain`, given in lower case, or a subdomain of it.
    public func isBelow(_ domain: StaticString) -> Bool {
        let start = layout.host.upperBound - domain.utf8CodeUnitCount
        guard start >= layout.host.lowerBound else { return false }
        return bytes { bytes in
            bytes[start..<layout.host.upperBound].elementsEqual(domain.bytes) { lowercased($0) == $1 }
                && (start == layout.host.lowerBound || bytes[start - 1] == UInt8(ascii: "."))
        }
    }

    /// Whether the host, in any case, is `domain`, given in lower case, or a subdomain of it.
    public func isBelow(domain: String) -> Bool {
        let host = host
        return host == domain || host.hasSuffix("." + domain)
    }

    /// Whether the host, in any case, is the given one in lower case.
    public func isAt(_ host: StaticString) -> Bool { layout.host.count == host.utf8CodeUnitCount && isBelow(host) }

    private func part(_ range: Range<Int>) -> String {
        String(decoding: text.utf8.dropFirst(range.lowerBound).prefix(range.count), as: UTF8.self)
    }

    private func bytes(_ body: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
        text.utf8.withContiguousStorageIfAvailable(body) ?? false
    }
}

extension String {
    /// The URL up to its first `?` or `#`, for logs: a query may hold a key.
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
