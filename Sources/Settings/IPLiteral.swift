import Foundation

/// A numeric IPv4 or IPv6 address. IPv4 within IPv6 (`::ffff:127.0.0.1`) is that IPv4 address.
public struct IPLiteral: Sendable, Hashable, CustomStringConvertible {
    /// The 4 or 16 bytes, in network order.
    let bytes: [UInt8]

    /// Reads an address as inet_pton(3) does, without brackets and zone; nil for other text.
    public init?(_ text: some StringProtocol) {
        let text = String(text)
        // The C function would read up to it.
        guard !text.utf8.contains(0) else { return nil }
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = withUnsafeBytes(of: &four) { Array($0) }
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            let all = withUnsafeBytes(of: &six) { Array($0) }
            let isMapped = all[..<10].allSatisfy { $0 == 0 } && all[10] == 0xFF && all[11] == 0xFF
            bytes = isMapped ? Array(all[12...]) : all
        } else {
            return nil
        }
    }

    /// Whether it is in 127.0.0.0/8, or ::1.
    public var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes[..<15].allSatisfy { $0 == 0 } && bytes[15] == 1
    }

    /// Whether it stands for all addresses of the machine: 0.0.0.0 or ::.
    public var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }

    /// Whether it is an IPv6 address, which stands in brackets before a port.
    public var isVersion6: Bool { bytes.count == 16 }

    /// The network that stands for one client: the address itself, of IPv6 its /64, which a client has as a whole.
    public var network: String {
        guard isVersion6 else { return description }
        return bytes[..<8].map { byte in String(byte, radix: 16) }.joined(separator: ":") + "/64"
    }

    /// The address as inet_ntop(3) writes it, without brackets.
    public var description: String {
        let most = Int(INET6_ADDRSTRLEN)
        var text = [CChar](repeating: 0, count: most)
        _ = bytes.withUnsafeBytes { address in
            inet_ntop(isVersion6 ? AF_INET6 : AF_INET, address.baseAddress, &text, socklen_t(most))
        }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
