/// A reference to a web page as feeds write it, made fit to be a link, and resolved (RFC 3986 §5.2).
struct URLReference {
    /// The bytes without line ends and tabs, and without white space around them; what no URL may contain is
    /// percent-encoded.
    private let bytes: [UInt8]

    /// Longest address taken for one, in bytes.
    private static let longest = 8192

    init(_ text: String) {
        var bytes: [UInt8] = []
        var pending: [UInt8] = []
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x09, 0x0A, 0x0D: continue
            case 0...0x20:
                // White space and controls count only once something follows them.
                if !bytes.isEmpty { Self.escape(UInt8(scalar.value), into: &pending) }
                continue
            default: break
            }
            bytes.append(contentsOf: pending)
            pending.removeAll()
            if Self.isUnfit(scalar.value) {
                for byte in String(scalar).utf8 { Self.escape(byte, into: &bytes) }
            } else {
                bytes.append(scalar: scalar)
            }
            if bytes.count > Self.longest { break }
        }
        self.bytes = bytes
    }

    /// Whether the text is a web address that needs no change, as nearly all are; false says nothing.
    ///
    /// It holds visible characters of ASCII only, none that is percent-encoded, and names its host without user,
    /// escapes, brackets and port.
    static func isWebURL(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { bytes -> Bool in
            let start = schemeLength(of: bytes)
            guard start > 0, bytes.count <= longest, bytes.allSatisfy(isFit) else { return false }
            for offset in start..<bytes.count {
                switch bytes[offset] {
                case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): return offset > start
                case UInt8(ascii: "@"), UInt8(ascii: "%"), UInt8(ascii: "["), UInt8(ascii: ":"): return false
                default: break
                }
            }
            return bytes.count > start
        } ?? false
    }

    /// The address if it is an absolute http or https one with a sound host and port and without user, else nil.
    var webURL: String? {
        guard bytes.count <= Self.longest, let host = authority else { return nil }
        return Self.isSound(bytes[host]) ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// Whether it begins with a scheme, whatever that is.
    private var hasScheme: Bool {
        guard let first = bytes.first, first.isASCIILetter,
            let stop = bytes.firstIndex(where: { !($0.isASCIIAlphanumeric || "+-.".utf8.contains($0)) })
        else { return false }
        return bytes[stop] == UInt8(ascii: ":")
    }

    /// The address this reference means in a document at `base`; nil when either is no web address.
    func resolved(against base: String) -> String? {
        let base = URLReference(base)
        guard !hasScheme, let first = bytes.first, base.webURL != nil, let host = base.authority else { return nil }
        let isTail: (UInt8) -> Bool = { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        let basePathEnd = base.bytes[host.upperBound...].firstIndex(where: isTail) ?? base.bytes.endIndex
        let basePath = base.bytes[host.upperBound..<basePathEnd]
        var target: [UInt8]
        if first == UInt8(ascii: "#") {
            target = Array(base.bytes.prefix(while: { $0 != first }))
            target.append(contentsOf: bytes)
        } else if first == UInt8(ascii: "?") {
            target = Array(base.bytes[..<basePathEnd])
            target.append(contentsOf: bytes)
        } else if bytes.starts(with: "//".utf8) {
            target = Array(base.bytes[..<(host.lowerBound - 2)])
            target.append(contentsOf: bytes)
        } else {
            let pathEnd = bytes.firstIndex(where: isTail) ?? bytes.endIndex
            var path: [UInt8] = []
            if first != UInt8(ascii: "/") {
                if let slash = basePath.lastIndex(of: UInt8(ascii: "/")) {
                    path.append(contentsOf: basePath[...slash])
                } else {
                    path.append(UInt8(ascii: "/"))
                }
            }
            path.append(contentsOf: bytes[..<pathEnd])
            target = Array(base.bytes[..<host.upperBound])
            target.append(contentsOf: Self.withoutDots(path))
            target.append(contentsOf: bytes[pathEnd...])
        }
        return URLReference(String(decoding: target, as: UTF8.self)).webURL
    }

    // MARK: Parts

    /// Where host and port stand in an http or https URL; nil in any other text.
    private var authority: Range<Int>? {
        let start = bytes.withUnsafeBufferPointer { Self.schemeLength(of: $0) }
        guard start > 0 else { return nil }
        let end = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
        return start..<end
    }

    /// The length of `http://` or `https://`, in any case, at the beginning; 0 when there is neither.
    private static func schemeLength(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
        bytes.reads("http://", at: 0) ? 7 : bytes.reads("https://", at: 0) ? 8 : 0
    }

    /// A host that is not empty, without user (RFC 3986 §3.2.1) and escapes, and no port or one of 1…65535.
    private static func isSound(_ authority: ArraySlice<UInt8>) -> Bool {
        guard !authority.contains(UInt8(ascii: "@")), !authority.contains(UInt8(ascii: "%")) else { return false }
        var rest = authority
        if authority.first == UInt8(ascii: "[") {
            guard let close = authority.firstIndex(of: UInt8(ascii: "]")), close > authority.startIndex + 1 else {
                return false
            }
            let literal = authority[(authority.startIndex + 1)..<close]
            guard literal.allSatisfy({ $0.hexadecimalValue != nil || ":.".utf8.contains($0) }) else { return false }
            rest = authority[(close + 1)...]
            guard rest.isEmpty || rest.first == UInt8(ascii: ":") else { return false }
        } else {
            rest = authority.drop { $0 != UInt8(ascii: ":") }
            guard rest.startIndex > authority.startIndex else { return false }
        }
        guard !rest.isEmpty else { return true }
        let port = rest.dropFirst()
        guard port.count <= 5, port.allSatisfy(\.isASCIIDigit) else { return false }
        return port.isEmpty || (1...65535).contains(port.reduce(0) { $0 * 10 + Int($1 - 0x30) })
    }

    /// A path that begins with `/`, its `.` and `..` worked off (RFC 3986 §5.2.4).
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

    private static func escape(_ byte: UInt8, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(digits[Int(byte >> 4)])
        bytes.append(digits[Int(byte & 15)])
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Whether a byte stands for itself: visible ASCII that is not unfit.
    @inline(__always) private static func isFit(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x3C && byte != 0x3E && byte != 0x5C
    }

    /// Whether a character must not stand in a link as it is: `"<>\`, controls, invisible ones that turn text round.
    private static func isUnfit(_ value: UInt32) -> Bool {
        switch value {
        case 0x22, 0x3C, 0x3E, 0x5C, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
