import NIOCore
import Settings

/// Tells clients apart, so that each has its share: by their address, or by what a trusted proxy says.
struct ClientNames: Sendable {
    /// The proxies whose `X-Forwarded-For` counts, beside whoever uses a Unix socket.
    let proxies: [AddressRange]

    /// The client of a connection; nil: a trusted proxy, which speaks for others.
    func name(of peer: SocketAddress?) -> String? {
        guard let address = peer?.ipAddress.flatMap({ IPLiteral($0) }) else { return nil }
        return isProxy(address) ? nil : address.network
    }

    /// The client of a request.
    /// - Parameters:
    ///   - peer: The other end of the connection.
    ///   - forwarded: The field `X-Forwarded-For`, repeated ones joined by commas: each proxy adds the address that it was
    ///     asked from. So the last one that is no trusted proxy is the client, and what stands before is a claim of it.
    func name(of peer: SocketAddress?, forwarded: String?) -> String {
        if let name = name(of: peer) { return name }
        for part in (forwarded ?? "").split(separator: ",").reversed() {
            guard let address = Self.address(part) else { break }
            if !isProxy(address) { return address.network }
        }
        return "proxy"
    }

    private func isProxy(_ address: IPLiteral) -> Bool { proxies.contains { $0.contains(address) } }

    /// An address with or without a port and brackets.
    private static func address(_ part: Substring) -> IPLiteral? {
        var text = part.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        if text.hasPrefix("[") { return text.firstIndex(of: "]").flatMap { IPLiteral(text[..<$0].dropFirst()) } }
        if let address = IPLiteral(text) { return address }
        return text.lastIndex(of: ":").flatMap { IPLiteral(text[..<$0]) }
    }
}
