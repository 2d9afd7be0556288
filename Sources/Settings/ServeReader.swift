import Model

/// Reads the section `serve`.
struct ServeReader {
    let top: MappingReader
    let paths: PathResolver

    /// The settings; faults are noted, and faulty values take their defaults.
    func serve() -> ServeSettings {
        var serve = ServeSettings()
        guard let section = top.mapping("serve") else { return serve }
        section.refuseUnknown(known: KeyHome.serve)
        serve.listen =
            section.values(
                "listen", accepted: "\(ListenAddress.accepted), with a port from 1 to 65535",
                read: Self.listen) ?? serve.listen
        serve.hosts =
            section.values(
                "hosts", accepted: "a name such as quakes.example.org, or an address, without scheme and port",
                read: Self.host) ?? serve.hosts
        serve.origins =
            section.values(
                "cors", accepted: "an origin such as https://maps.example.org, without a path",
                read: Self.origin) ?? serve.origins
        serve.frameAncestors =
            section.values(
                "frame_ancestors", accepted: "an origin such as https://news.example.org, without a path",
                read: Self.origin) ?? serve.frameAncestors
        serve.trustedProxies =
            section.values("trusted_proxies", accepted: AddressRange.accepted, read: { AddressRange($0) })
            ?? serve.trustedProxies
        serve.basePath = basePath(in: section) ?? serve.basePath
        let page = PageReader(section: section, paths: paths)
        serve.page = page.folder()
        serve.basemaps = page.basemaps()
        serve.overlays = page.overlays()
        serve.showsConfiguration = section.flag("configuration") ?? serve.showsConfiguration
        serve.showsWatches = section.flag("watches") ?? serve.showsWatches
        if case .list(let items)? = section.member("listen")?.value.content, items.isEmpty {
            section.note("listen", "found an empty list", accepted: "at least one \(ListenAddress.accepted)")
        }
        return serve
    }

    /// The address; a port that the kernel chooses would be known to nobody.
    private static func listen(_ text: String) -> ListenAddress? {
        guard let address = ListenAddress(text) else { return nil }
        if case .tcp(_, 0) = address { return nil }
        return address
    }

    private func basePath(in section: MappingReader) -> String? {
        let accepted = "a path such as /quakes, of letters, digits, -, _ and ., without a slash at its end"
        section.accepts("base_path", accepted)
        guard let text = section.text("base_path") else { return nil }
        if Self.isBasePath(text) { return text }
        let meant = "/" + text.split(separator: "/").joined(separator: "/")
        section.note(
            "base_path", "found \(shown(text))", accepted: accepted, suggestion: Self.isBasePath(meant) ? meant : nil)
        return nil
    }

    /// Whether the path stays one of this site in every link, which `//a.example` and `/..` do not, and in one form:
    /// none of its bytes has an escape.
    private static func isBasePath(_ text: String) -> Bool {
        let segments = text.split(separator: "/", omittingEmptySubsequences: false)
        return segments.count > 1 && segments[0].isEmpty && text.utf8.count <= 100
            && segments.dropFirst().allSatisfy { segment in
                segment.contains { $0 != "." }
                    && segment.utf8.allSatisfy { isInName($0) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
            }
    }

    /// Lower-case letters, digits and the marks of names.
    private static func isInName(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-._".utf8.contains(byte)
    }

    /// The name or address as a request's Host gives it, in lower case and without brackets.
    static func host(_ text: String) -> String? {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        if let address = IPLiteral(isBracketed ? String(text.dropFirst().dropLast()) : text) {
            return address.description
        }
        let name = text.lowercased()
        let isName = name.utf8.count <= 253 && name.utf8.allSatisfy(isInName)
        return isName && !name.hasPrefix(".") && !name.hasSuffix(".") ? name : nil
    }

    /// The origin as browsers send it (RFC 6454 §6.2).
    private static func origin(_ text: String) -> String? {
        let origin = text.lowercased()
        guard let scheme = ["http://", "https://"].first(where: { origin.hasPrefix($0) }) else { return nil }
        var authority = origin.dropFirst(scheme.count)
        if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
            guard let port = Quantity.integer(String(authority[authority.index(after: colon)...])),
                (1...65_535).contains(port)
            else { return nil }
            authority = authority[..<colon]
        }
        return authority.isEmpty || host(String(authority)) == nil ? nil : origin
    }
}
