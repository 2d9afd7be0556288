/// Which pictures of authors and volcanoes are kept.
public struct PictureSettings: Sendable, Hashable {
    /// Names of hosts, in lower case, whose pictures are asked for; default none: no picture is asked for or kept.
    public var hosts: [String] = []
    /// The most bytes of all pictures, 1MiB…1024GiB; default 200 MB. Those named longest ago go first.
    public var maximumBytes = 200_000_000
    /// The most requests of a day (UTC), 1…100000; default 500.
    public var requestsPerDay = 500
}

/// Reads the section `pictures`.
struct PictureReader {
    let top: MappingReader

    /// The settings; faults are noted, and faulty values take their defaults.
    func pictures() -> PictureSettings {
        var pictures = PictureSettings()
        guard let section = top.mapping("pictures") else { return pictures }
        section.refuseUnknown(known: KeyHome.pictures)
        pictures.hosts = section.values("hosts", accepted: Self.accepted, read: Self.host) ?? pictures.hosts
        pictures.maximumBytes = section.bytes("maximum_size", in: 1 << 20...1 << 40) ?? pictures.maximumBytes
        pictures.requestsPerDay = section.integer("daily_quota", in: 1...100_000) ?? pictures.requestsPerDay
        return pictures
    }

    private static let accepted =
        "a public name such as pictures.example.org, without scheme, port and *, and not below "
        + localDomains.map { ".\($0)" }.joined(separator: ", ")

    /// Domains of the own machine and network: RFC 6761 §6.3, RFC 6762 §3, RFC 8375, and ICANN's of 29 July 2024.
    private static let localDomains = ["localhost", "local", "internal", "home.arpa"]

    /// A name with a dot; an address is refused, since the connected address must be public anyway.
    private static func host(_ text: String) -> String? {
        guard let name = ServeReader.host(text), name.contains("."), IPLiteral(name) == nil,
            !localDomains.contains(where: { ".\(name)".hasSuffix(".\($0)") }),
            name.utf8.last.map({ !(0x30...0x39).contains($0) }) ?? false
        else { return nil }
        return name
    }
}
