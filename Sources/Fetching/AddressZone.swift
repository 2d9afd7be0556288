import Foundation

/// The part of the network that an address belongs to, which decides whether a server may send a request there.
package enum AddressZone: Sendable, Hashable {
    /// A public address: one that belongs to none of the other zones.
    case open
    /// This machine: 127.0.0.0/8, ::1.
    case loopback
    /// The same link: fe80::/10 and 169.254.0.0/16, which metadata services of clouds use.
    case linkLocal
    /// A private network: RFC 1918, RFC 6598 (100.64.0.0/10), RFC 4193 (fc00::/7), the former site-local fec0::/10, and
    /// the local NAT64 of RFC 8215.
    case privateUse
    /// An address that no server has: unspecified, multicast, broadcast, documentation, reserved (RFC 6890).
    case special

    /// The zone of a numeric IPv4 or IPv6 address, as inet_pton(3) reads it; nil for other text.
    ///
    /// Brackets around it and a scope (`%eth0`) are ignored. An IPv4 address within an IPv6 one decides: mapped,
    /// translated, compatible, NAT64 (RFC 6052) and 6to4.
    package init?(_ text: String) {
        var text = text[...]
        if text.first == "[", text.last == "]" { text = text.dropFirst().dropLast() }
        let plain = String(text.prefix { $0 != "%" })
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, plain, &four) == 1 {
            self = Self.zone(four: withUnsafeBytes(of: &four) { Array($0) })
        } else if inet_pton(AF_INET6, plain, &six) == 1 {
            self = Self.zone(six: withUnsafeBytes(of: &six) { Array($0) })
        } else {
            return nil
        }
    }

    /// The zone of a host that is known without a look-up: that of a numeric address, or `loopback` for `localhost` and
    /// names below it (RFC 6761 §6.3); nil for any other name.
    ///
    /// Case and one dot at the end do not matter.
    package init?(host: String) {
        var name = host.lowercased()[...]
        if name.last == "." { name.removeLast() }
        let isLocal = name == "localhost" || name.hasSuffix(".localhost")
        guard let zone = isLocal ? .loopback : AddressZone(String(name)) else { return nil }
        self = zone
    }

    /// The zone in words, for messages.
    var words: String {
        switch self {
        case .open: "a public address"
        case .loopback: "an address of this machine"
        case .linkLocal: "a link-local address"
        case .privateUse: "a private address"
        case .special: "a reserved address"
        }
    }

    /// The zones of all addresses of a URL's host; empty if it has none. It blocks while it looks up a name.
    static func zones(ofHostIn url: String) -> Set<AddressZone> {
        guard let host = WebAddress(url)?.host else { return [] }
        if let zone = AddressZone(host: host) { return [zone] }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var zones: Set<AddressZone> = []
        var next = list
        while let entry = next {
            var text = [CChar](repeating: 0, count: 128)
            let status = getnameinfo(
                entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, socklen_t(128), nil, 0, NI_NUMERICHOST)
            let address = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if status == 0, let zone = AddressZone(address) { zones.insert(zone) }
            next = entry.pointee.ai_next
        }
        return zones
    }

    // MARK: Ranges

    /// IPv4 ranges that are not public: address, prefix length, zone (IANA's special-purpose registry, RFC 6890).
    private static let ranges: [(UInt32, UInt32, AddressZone)] = [
        (0x7F00_0000, 8, .loopback), (0xA9FE_0000, 16, .linkLocal), (0x0A00_0000, 8, .privateUse),
        (0xAC10_0000, 12, .privateUse), (0xC0A8_0000, 16, .privateUse), (0x6440_0000, 10, .privateUse),
        (0x0000_0000, 8, .special), (0xC000_0000, 24, .special), (0xC000_0200, 24, .special),
        (0xC633_6400, 24, .special), (0xCB00_7100, 24, .special), (0xC612_0000, 15, .special),
        (0xC058_6300, 24, .special), (0xE000_0000, 3, .special),
    ]

    private static func zone(four bytes: some Collection<UInt8>) -> AddressZone {
        let address = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return ranges.first { (address ^ $0.0) >> (32 - $0.1) == 0 }?.2 ?? .open
    }

    private static func zone(six bytes: [UInt8]) -> AddressZone {
        if bytes.dropLast().allSatisfy({ $0 == 0 }), bytes[15] <= 1 { return bytes[15] == 1 ? .loopback : .special }
        // IPv4 within IPv6: mapped (::ffff:0:0/96), translated (::ffff:0:0:0/96), compatible (::/96), NAT64
        // (64:ff9b::/96, RFC 6052) and 6to4 (2002::/16).
        let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10...11].allSatisfy { $0 == 0xFF }
        let isTranslated =
            bytes[..<8].allSatisfy { $0 == 0 } && bytes[8...9].allSatisfy { $0 == 0xFF } && bytes[10] | bytes[11] == 0
        let isCompatible = bytes[..<12].allSatisfy { $0 == 0 }
        let isNAT64 = bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B]) && bytes[4..<12].allSatisfy { $0 == 0 }
        if isMapped || isTranslated || isCompatible || isNAT64 { return zone(four: bytes[12...]) }
        if bytes.starts(with: [0x20, 0x02]) { return zone(four: bytes[2..<6]) }
        if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B, 0x00, 0x01]) { return .privateUse }
        if bytes[0] & 0xFE == 0xFC { return .privateUse }
        if bytes[0] == 0xFE, bytes[1] & 0xC0 == 0x80 { return .linkLocal }
        if bytes[0] == 0xFE, bytes[1] & 0xC0 == 0xC0 { return .privateUse }
        // Global unicast is 2000::/3, but 2001::/23 is for protocols (Teredo, ORCHID), and two ranges are for
        // documents.
        let isProtocol = bytes.starts(with: [0x20, 0x01]) && bytes[2] & 0xFE == 0
        let isDocument =
            bytes.starts(with: [0x20, 0x01, 0x0D, 0xB8]) || (bytes.starts(with: [0x3F, 0xFF]) && bytes[2] < 0x10)
        return bytes[0] & 0xE0 == 0x20 && !isProtocol && !isDocument ? .open : .special
    }
}
