/// Decides for which hosts the service answers, against DNS rebinding: a page whose name was pointed at this machine
/// gives its own name as Host.
public struct HostCheck: Sendable {
    /// The configured names and addresses, in lower case and without brackets.
    private let hosts: Set<String>

    /// - Parameter hosts: Further names and addresses, as `ServeSettings.hosts` has them.
    public init(_ hosts: [String]) { self.hosts = Set(hosts) }

    /// Whether a request with this Host is answered: localhost, a loopback address, the address connected to, or a
    /// configured host. The port does not matter.
    /// - Parameter local: The address that the client has connected to; nil for a Unix socket.
    public func accepts(_ host: String, at local: IPLiteral?) -> Bool {
        guard let name = Self.name(of: host) else { return false }
        if name == "localhost" || hosts.contains(name) { return true }
        guard let address = IPLiteral(name) else { return false }
        return address.isLoopback || address == local || hosts.contains(address.description)
    }

    /// The name of `NAME[:PORT]` in lower case, an IPv6 address without its brackets (RFC 9110 §7.2); nil for other
    /// text.
    static func name(of host: String) -> String? {
        let host = host.lowercased()
        let name: Substring
        let rest: Substring
        if host.hasPrefix("[") {
            guard let end = host.firstIndex(of: "]") else { return nil }
            name = host[host.index(after: host.startIndex)..<end]
            rest = host[host.index(after: end)...]
            guard name.contains(":") else { return nil }
        } else {
            let end = host.firstIndex(of: ":") ?? host.endIndex
            name = host[..<end]
            rest = host[end...]
        }
        let port = rest.dropFirst()
        let isPort = rest.isEmpty || (rest.hasPrefix(":") && port.utf8.allSatisfy { (0x30...0x39).contains($0) })
        return name.isEmpty || !isPort ? nil : String(name)
    }
}
