import Foundation
import Model

/// Rules for the URLs of sources, proxies and services.
package enum SourceURL {
    /// A fault of a URL and the accepted form, as phrases.
    package struct Problem {
        package var found: String
        var accepted: String

        init(_ found: String, _ accepted: String) {
            self.found = found
            self.accepted = accepted
        }
    }

    /// The accepted forms of a source's URL.
    static let accepted = "http://…, https://… or file:///…"
    /// The accepted forms of a proxy's URL.
    static let acceptedProxy = "http://HOST:PORT, https://…, socks4://…, socks4a://…, socks5://… or socks5h://…"

    /// The fault of a source's URL; nil for a valid one.
    package static func problem(with url: String) -> Problem? {
        problem(
            with: url, schemes: ["http", "https", "file"], accepted: accepted,
            withoutUser: "a URL without them; authorization_file names a file with the Authorization header")
    }

    /// The fault of a proxy's URL; nil for a valid one.
    static func problem(withProxy url: String) -> Problem? {
        problem(
            with: url, schemes: ["http", "https", "socks4", "socks4a", "socks5", "socks5h"], accepted: acceptedProxy)
    }

    /// The fault of a geocoding service's URL, which has no query; nil for a valid one.
    static func problem(withService url: String) -> Problem? {
        let found = problem(with: url, schemes: ["http", "https"], accepted: "http://… or https://…")
        if let found { return found }
        guard url.contains("?") || url.contains("#") else { return nil }
        return Problem("found a query in the URL", "a URL without ? and #; key_file names the file with a key")
    }

    /// The accepted forms of the URL of a webhook or an ntfy server.
    static let acceptedTarget = "https://… or http://…"

    /// The fault of the URL of a webhook or an ntfy server; nil for a valid one.
    package static func problem(withTarget url: String) -> Problem? {
        problem(with: url, schemes: ["http", "https"], accepted: acceptedTarget)
    }

    /// The accepted forms of a mail server.
    static let acceptedMailServer = "smtp://HOST:PORT or smtps://HOST:PORT"

    /// The fault of a mail server's URL; nil for a valid one.
    static func problem(withMailServer url: String) -> Problem? {
        let found = problem(
            with: url, schemes: ["smtp", "smtps"], accepted: acceptedMailServer,
            withoutUser: "user and password_file beside server")
        guard found == nil, let parts = URLParts(url) else { return found }
        guard parts.location == url, ["", "/"].contains(parts.path) else {
            return Problem("found more than host and port", acceptedMailServer)
        }
        return nil
    }

    /// The accepted form of a base map's tiles.
    static let acceptedTiles = "https://HOST/…/{z}/{x}/{y}.png"

    /// The fault of the template of a base map's tiles; nil for a valid one. A browser's policy names its one host, so
    /// that is a plain name or an IPv4 address.
    static func problem(withTiles url: String) -> Problem? {
        let found = problem(with: url, schemes: ["https"], accepted: acceptedTiles)
        if let found { return found }
        let host = host(of: url)
        guard !host.hasPrefix("["), ServeReader.host(host) == host else {
            return Problem("found a host that is no single name", acceptedTiles)
        }
        guard let names = placeholders(in: url), names.sorted() == ["x", "y", "z"], !url.contains("#") else {
            return Problem("found a URL without {z}, {x} and {y} once each, or with more in braces", acceptedTiles)
        }
        return nil
    }

    /// A valid URL without the host of a local file: `file://localhost/…` becomes `file:///…` (RFC 8089 §2).
    static func plain(_ url: String) -> String {
        guard let parts = URLParts(url), parts.scheme == "file", parts.authority == localhost else { return url }
        return "file://" + parts.path
    }

    private static let localhost = "localhost"

    /// The host of a valid URL in lower case; empty for a local file.
    static func host(of url: String) -> String { URLParts(url)?.host ?? "" }

    /// Whether the host of a valid URL is localhost, in 127.0.0.0/8 or ::1; no name is resolved.
    static func isLoopback(_ url: String) -> Bool {
        let host = host(of: url)
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        let isFour = parts.count == 4 && parts.allSatisfy { octet in UInt8(octet).map { String($0) == octet } ?? false }
        return host == localhost || host == "[::1]" || (isFour && parts[0] == "127")
    }

    // The URL itself is never quoted: it may contain a password or a key.
    private static func problem(
        with url: String, schemes: [String], accepted: String, withoutUser: String = "a URL without them"
    ) -> Problem? {
        if url.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F || "\"<>\\^`|".utf8.contains($0) }) {
            return Problem("found a character that a URL cannot contain", "a percent-encoded URL (a space is %20)")
        }
        guard let parts = URLParts(url) else { return Problem("found no absolute URL", accepted) }
        let scheme = parts.scheme
        guard schemes.contains(scheme) else {
            let isName = (1...20).contains(scheme.utf8.count) && scheme.utf8.allSatisfy { (0x61...0x7A).contains($0) }
            return Problem(isName ? "found the scheme \(scheme)" : "found an unknown scheme", accepted)
        }
        if scheme == "file" {
            let isHere = !parts.hasUser && (parts.authority.isEmpty || parts.authority == localhost)
            guard isHere, parts.path.hasPrefix("/") else {
                return Problem("found a file URL without an absolute path", accepted)
            }
            guard !url.contains("?"), !url.contains("#") else {
                return Problem(
                    "found a query or a fragment in a file URL", "the file alone; in its name ? is %3F, # is %23")
            }
            return nil
        }
        if parts.hasUser { return Problem("found a user name or password in the URL", withoutUser) }
        let host = parts.host
        guard !host.isEmpty else { return Problem("found no host", accepted) }
        if host.hasPrefix("[") ? !host.hasSuffix("]") : host.contains(":") {
            return Problem("found a wrong host", "an IPv6 address in brackets, such as http://[::1]/")
        }
        if let port = parts.port {
            guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(port), number > 0 else {
                return Problem("found a wrong port", "a port from 1 to 65535")
            }
        }
        // The host may contain `{topic}`.
        guard URLParts(url.filter { $0 != "{" && $0 != "}" })?.isSound == true else {
            return Problem("found a host that could be read in two ways", "a host name without % and delimiters")
        }
        return nil
    }

    /// The names of the `{…}` in a URL; nil when braces do not pair up.
    static func placeholders(in url: String) -> [String]? {
        var names: [String] = []
        var rest = url[...]
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            guard rest[brace] == "{", let end = rest[brace...].firstIndex(of: "}") else { return nil }
            let name = rest[rest.index(after: brace)..<end]
            guard !name.isEmpty, !name.contains("{") else { return nil }
            names.append(String(name))
            rest = rest[rest.index(after: end)...]
        }
        return names
    }
}
