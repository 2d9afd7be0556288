public import Foundation
public import Model

/// The format and the size of a picture, read from the head of its bytes. Nothing is decoded, so no bytes can unpack.
public struct PictureHead: Sendable, Hashable {
    /// The format.
    public var format: PictureFormat
    /// Width in pixels, above 0.
    public var width: Int
    /// Height in pixels, above 0.
    public var height: Int

    /// The largest width and height that is accepted, in pixels.
    public static let largestSide = 4_096

    /// Reads the head; nil for bytes that do not begin as a PNG, JPEG, GIF or WebP file with a size.
    public init?(_ data: Data) {
        let bytes = HeadBytes(data)
        let found =
            Self.png(bytes) ?? Self.gif(bytes) ?? Self.webp(bytes) ?? Self.jpeg(bytes)
        guard let found, found.width > 0, found.height > 0 else { return nil }
        self = found
    }

    /// The picture in the bytes, or why it is not kept, in words for people.
    public static func check(_ data: Data) -> Result<PictureContent, PictureRefusal> {
        guard data.count <= PictureContent.largestFile else { return .failure(PictureRefusal("a file above 512 KiB")) }
        guard let head = PictureHead(data) else {
            return .failure(PictureRefusal("no PNG, JPEG, GIF or WebP picture"))
        }
        guard head.width <= largestSide, head.height <= largestSide else {
            return .failure(
                PictureRefusal("a picture of \(head.width) × \(head.height) pixels, above \(largestSide)"))
        }
        return .success(PictureContent(format: head.format, data: data))
    }

    private init(_ format: PictureFormat, _ width: Int, _ height: Int) {
        self.format = format
        self.width = width
        self.height = height
    }

    /// PNG, third edition, §5.2 and §11.2.1.
    private static func png(_ bytes: HeadBytes) -> PictureHead? {
        guard bytes.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0), bytes.has("IHDR", at: 12),
            let width = bytes.big(4, at: 16), let height = bytes.big(4, at: 20)
        else { return nil }
        return PictureHead(.png, width, height)
    }

    /// GIF89a, section 18.
    private static func gif(_ bytes: HeadBytes) -> PictureHead? {
        guard bytes.has("GIF87a", at: 0) || bytes.has("GIF89a", at: 0), let width = bytes.little(2, at: 6),
            let height = bytes.little(2, at: 8)
        else { return nil }
        return PictureHead(.gif, width, height)
    }

    /// RFC 9649 §2.4 to §2.7: `VP8 ` (RFC 6386 §9.1), `VP8L` and `VP8X`.
    private static func webp(_ bytes: HeadBytes) -> PictureHead? {
        guard bytes.has("RIFF", at: 0), bytes.has("WEBP", at: 8) else { return nil }
        if bytes.has("VP8 ", at: 12), bytes.has([0x9D, 0x01, 0x2A], at: 23), let width = bytes.little(2, at: 26),
            let height = bytes.little(2, at: 28)
        {
            return PictureHead(.webp, width & 0x3FFF, height & 0x3FFF)
        }
        if bytes.has("VP8L", at: 12), bytes.has([0x2F], at: 20), let sizes = bytes.little(4, at: 21) {
            return PictureHead(.webp, sizes & 0x3FFF + 1, sizes >> 14 & 0x3FFF + 1)
        }
        if bytes.has("VP8X", at: 12), let width = bytes.little(3, at: 24), let height = bytes.little(3, at: 27) {
            return PictureHead(.webp, width + 1, height + 1)
        }
        return nil
    }

    /// ITU-T T.81 §B.1.1 and §B.2.2: the segments up to the frame header.
    private static func jpeg(_ bytes: HeadBytes) -> PictureHead? {
        guard bytes.has([0xFF, 0xD8, 0xFF], at: 0) else { return nil }
        var at = 2
        while let mark = bytes.big(1, at: at), mark == 0xFF, let marker = bytes.big(1, at: at + 1) {
            switch marker {
            case 0xFF: at += 1  // a fill byte
            case 0x01, 0xD0...0xD7: at += 2
            // The frame headers, without the tables DHT, JPG and DAC among their numbers.
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                guard let height = bytes.big(2, at: at + 5), let width = bytes.big(2, at: at + 7) else { return nil }
                return PictureHead(.jpeg, width, height)
            case 0x00, 0xD8, 0xD9, 0xDA: return nil
            default:
                guard let length = bytes.big(2, at: at + 2), length >= 2 else { return nil }
                at += 2 + length
            }
        }
        return nil
    }
}

/// Why bytes are not kept as a picture.
public struct PictureRefusal: Error, Sendable, Hashable {
    /// What was found, as a phrase for people.
    public let found: String

    init(_ found: String) { self.found = found }
}

/// Numbers at places of a file; nil beyond its end.
private struct HeadBytes {
    private let data: Data

    init(_ data: Data) { self.data = data }

    func big(_ count: Int, at offset: Int) -> Int? {
        bytes(count, at: offset).map { $0.reduce(0) { $0 << 8 | Int($1) } }
    }

    func little(_ count: Int, at offset: Int) -> Int? {
        bytes(count, at: offset).map { $0.reversed().reduce(0) { $0 << 8 | Int($1) } }
    }

    func has(_ expected: [UInt8], at offset: Int) -> Bool {
        bytes(expected.count, at: offset).map { $0.elementsEqual(expected) } ?? false
    }

    func has(_ expected: StaticString, at offset: Int) -> Bool { has(Array("\(expected)".utf8), at: offset) }

    private func bytes(_ count: Int, at offset: Int) -> Data? {
        guard offset >= 0, offset + count <= data.count else { return nil }
        let start = data.startIndex + offset
        return data[start..<start + count]
    }
}
