import Foundation
import Model
import TestSupport
import Testing

@testable import Reading

@Suite struct PictureHeadTests {
    private func seed(_ name: String) throws -> Data { try Fixtures.data("fuzz/seeds/pictures/\(name)") }

    @Test(arguments: [
        ("dot.png", PictureFormat.png, 2, 2), ("dot.gif", .gif, 2, 3), ("lossy.webp", .webp, 16, 9),
        ("lossless.webp", .webp, 16, 9), ("extended.webp", .webp, 16, 9), ("head.jpg", .jpeg, 16, 9),
    ])
    func formatAndSizeAreReadFromTheHead(name: String, format: PictureFormat, width: Int, height: Int) throws {
        let data = try seed(name)
        let head = try #require(PictureHead(data))
        #expect(head.format == format && head.width == width && head.height == height)
        #expect(try PictureHead.check(data).get() == PictureContent(format: format, data: data))
        // A slice has other indices.
        #expect(PictureHead((Data([0]) + data).dropFirst()) == head)
        for count in 0..<10 { #expect(PictureHead(data.prefix(count)) == nil, "\(count) bytes") }
    }

    @Test(arguments: [
        ("page.html", "no PNG, JPEG, GIF or WebP picture"), ("drawing.svg", "no PNG, JPEG, GIF or WebP picture"),
        ("bomb.png", "a picture of 60000 × 60000 pixels, above 4096"),
    ])
    func pagesDrawingsAndBombsAreRefused(name: String, found: String) throws {
        let data = try seed(name)
        #expect(throws: PictureRefusal(found)) { try PictureHead.check(data).get() }
    }

    @Test func filesAbove512KiBAreRefused() throws {
        let data = try seed("dot.png") + Data(count: PictureContent.largestFile)
        #expect(throws: PictureRefusal("a file above 512 KiB")) { try PictureHead.check(data).get() }
    }

    @Test(
        arguments: [
            [0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x00], [0xFF, 0xD8, 0xFF, 0xFF, 0xFF, 0xFF], [0xFF, 0xD8, 0xFF, 0xD9],
            [0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0xFF, 0x00],
        ] as [[UInt8]])
    func aJPEGWithoutAFrameIsNoPicture(bytes: [UInt8]) { #expect(PictureHead(Data(bytes)) == nil) }
}
