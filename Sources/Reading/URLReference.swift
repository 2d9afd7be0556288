import Model

/// A link in a feed, cleaned and resolved (RFC 3986 §5.2).
struct URLReference {
    /// The bytes without line ends, tabs and surrounding white space. Characters that URLs exclude are percent-encoded.
    private let bytes: [UInt8]

    /// The most bytes of an address.
    private static let longest = 8192

    init(_ text: String) {
        var bytes: [UInt8] = []
        var pending: [UInt8] = []
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x09, 0x0A, 0x0D: continue
            case 0...0x20:
                // White space and control characters are kept only if another character follows.
                if !bytes.isEmpty { pending.append(percentEncoding: UInt8(truncatingIfNeeded: scalar.value)) }
                continue
            default: break
            }
            bytes.append(contentsOf: pending)
            pending.removeAll()
            if Self.isUnfit(scalar) {
                for byte in String(scalar).utf8 { bytes.append(percentEncoding: byte) }
            } else {
                bytes.append(scalar: scalar)
            }
            if bytes.count > Self.longest { break }
        }
        self.bytes = bytes
    }

    /// The web URL of a text, as in `HTMLText.webURL(_:)`.
    static func webParts(_ text: String) -> URLParts? {
        // Nearly all texts need no change.
        let isUnchanged = text.utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isFit) } ?? false
        return isUnchanged ? link(text) : URLReference(text).webParts
    }

    /// The web URL; nil unless it is an absolute http or https URL with a valid host and port and without a user name.
    var webParts: URLParts? { Self.link(String(decoding: bytes, as: UTF8.self)) }

    /// The web URL of a text that has no unfit characters; nil unless its host is valid and free of escapes.
    private static func link(_ text: String) -> URLParts? {
        guard text.utf8.count <= longest, let parts = URLParts(text), parts.isWeb, parts.isSound,
            !parts.hasEscapeInHost
        else { return nil }
        return parts
    }

    /// Whether the reference begins with any scheme.
    private var hasScheme: Bool {
        guard let first = bytes.first, first.isASCIILetter,
            let stop = bytes.firstIndex(where: { !($0.isASCIIAlphanumeric || "+-.".utf8.contains($0)) })
        else { return false }
        return bytes[stop] == UInt8(ascii: ":")
    }

    /// The web URL of this reference in a document at `base`, itself a web URL; nil when there is none.
    func resolved(against base: URLParts) -> URLParts? {
        guard !hasScheme, let first = bytes.first else { return nil }
        var target: [UInt8]
        if first == UInt8(ascii: "#") {
            target = Array(base.text.utf8.prefix { $0 != first })
            target.append(contentsOf: bytes)
        } else if first == UInt8(ascii: "?") {
            target = Array(base.location.utf8)
            target.append(contentsOf: bytes)
        } else if bytes.starts(with: "//".utf8) {
            target = Array(base.text.utf8.prefix { $0 != UInt8(ascii: "/") })
            target.append(contentsOf: bytes)
        } else {
            let basePath = Array(base.path.utf8)
            let pathEnd = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.endIndex
            var path: [UInt8] = []
            if first != UInt8(ascii: "/") {
                if let slash = basePath.lastIndex(of: UInt8(ascii: "/")) {
                    path.append(contentsOf: basePath[...slash])
                } else {
                    path.append(UInt8(ascii: "/"))
                }
            }
            path.append(contentsOf: bytes[..<pathEnd])
            target = Array(base.location.utf8.dropLast(basePath.count))
            target.append(contentsOf: Self.withoutDots(path))
            target.append(contentsOf: bytes[pathEnd...])
        }
        return URLReference(String(decoding: target, as: UTF8.self)).webParts
    }

    // MARK: Parts

    /// A path from `/` on, with `.` and `..` resolved (RFC 3986 §5.2.4).
    private static func withoutDots(_ path: [UInt8]) -> [UInt8] {
        var kept: [ArraySlice<UInt8>] = []
        let parts = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            switch String(decoding: part, as: UTF8.self) {
            case ".": if isLast { kept.append([]) }
            case "..":
                _ = kept.popLast()
                if isLast { kept.append([]) }
            default: kept.append(part)
            }
        }
        var out: [UInt8] = []
        for part in kept {
            out.append(UInt8(ascii: "/"))
            out.append(contentsOf: part)
        }
        return out.isEmpty ? [UInt8(ascii: "/")] : out
    }

    // MARK: Characters

    /// Whether a byte needs no escape: visible ASCII that is not unfit.
    @inline(__always) private static func isFit(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x3C && byte != 0x3E && byte != 0x5C
    }

    /// Whether a character must be escaped in a link: `"<>\`, control characters, invisible direction characters.
    private static func isUnfit(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\"", "<", ">", "\\": true
        default: scalar.hazard?.isUnsafeInLinks == true
        }
    }
}
