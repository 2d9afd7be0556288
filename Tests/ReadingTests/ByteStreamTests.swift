import Foundation
import TestSupport
import Testing

@testable import Reading

@Suite struct ByteStreamTests {
    private let directory = TemporaryDirectory()
    private static let text = "one\ntwo\r\nthree"
    private static let gzip = bytes("H4sIAAAAAAACA8vPS+UqKc/n5SrJKEpNBQDNg7mPDgAAAA==")
    /// A folder, `readme.txt`, `folder/table.txt` with the text, and another file.
    private static let zip = bytes(
        """
        UEsDBBQAAAAIAAAAIVAAAAAAAgAAAAAAAAAHAAAAZm9sZGVyLwMAUEsDBBQAAAAIAAAAIVAEbGVTCgAAAAgAAAAKAAAAcmVhZG1lLnR4dMvLL1Eo
        ycgsBgBQSwMEFAAAAAgAAAAhUM2DuY8QAAAADgAAABAAAABmb2xkZXIvdGFibGUudHh0y89L5Sopz+flKskoSk0FAFBLAwQUAAAACAAAACFQGY88
        hQoAAAAIAAAACAAAAG1vcmUudHh0y8svUijJyCwGAFBLAQIUAxQAAAAIAAAAIVAAAAAAAgAAAAAAAAAHAAAAAAAAAAAAAACAAQAAAABmb2xkZXIv
        UEsBAhQDFAAAAAgAAAAhUARsZVMKAAAACAAAAAoAAAAAAAAAAAAAAIABJwAAAHJlYWRtZS50eHRQSwECFAMUAAAACAAAACFQzYO5jxAAAAAOAAAA
        EAAAAAAAAAAAAAAAgAFZAAAAZm9sZGVyL3RhYmxlLnR4dFBLAQIUAxQAAAAIAAAAIVAZjzyFCgAAAAgAAAAIAAAAAAAAAAAAAACAAZcAAABtb3Jl
        LnR4dFBLBQYAAAAABAAEAOEAAADHAAAAAAA=
        """)

    private static func bytes(_ base64: String) -> Data {
        Data(base64Encoded: base64, options: .ignoreUnknownCharacters) ?? Data()
    }

    private func stream(_ data: Data) throws -> ByteStream {
        let path = "\(directory.path)/\(UUID().uuidString)"
        try data.write(to: URL(fileURLWithPath: path))
        return try ByteStream(path: path)
    }

    /// All bytes of a stream, read in pieces of the given size.
    private func content(_ stream: ByteStream, pieces: Int = 5) throws(ReadingError) -> String {
        var all: [UInt8] = []
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: pieces, alignment: 1)
        defer { room.deallocate() }
        while true {
            let count = try stream.read(into: room)
            if count == 0 { break }
            all += room[..<count]
        }
        return String(decoding: all, as: UTF8.self)
    }

    private func code(_ data: Data) -> String? {
        do {
            _ = try content(try stream(data))
            return nil
        } catch let error as ReadingError {
            return error.code
        } catch {
            return "\(error)"
        }
    }

    @Test("plain, gzip and zip give the same bytes, and count those on the wire")
    func packings() throws {
        let cases: [(Data, ByteStream.Packing)] = [
            (Data(Self.text.utf8), .plain), (Self.gzip, .gzip), (Self.zip, .zip),
        ]
        for (data, packing) in cases {
            let stream = try stream(data)
            #expect(stream.packing == packing)
            #expect(stream.totalBytes == Int64(data.count))
            #expect(try content(stream) == Self.text)
            #expect(stream.wireBytes == Int64(data.count))
            #expect(try content(stream) == "")
        }
        #expect(try stream(Self.zip).member == "folder/table.txt")
    }

    @Test("gzip members in a row are one content, and padding behind them is ignored")
    func members() throws {
        #expect(try content(try stream(Self.gzip + Self.gzip)) == Self.text + Self.text)
        #expect(try content(try stream(Self.gzip + Data([0, 0, 0]))) == Self.text)
    }

    @Test("an archive that ends early or is damaged is refused")
    func damage() {
        for length in 3..<Self.gzip.count { #expect(code(Self.gzip.prefix(length)) == "bad_archive", "\(length)") }
        for index in 10..<Self.gzip.count {
            var damaged = Self.gzip
            damaged[index] ^= 1
            #expect(code(damaged) == "bad_archive", "byte \(index)")
        }
        // The damage is within the data of the table.
        var damaged = Self.zip
        damaged[140] ^= 0x10
        #expect(code(damaged) == "bad_archive")
        #expect(code(Self.zip.prefix(140)) == "bad_archive")
        #expect(code(Data()) == nil)
    }

    @Test("a pipe will do")
    func pipes() throws {
        for data in [Data(Self.text.utf8), Self.gzip, Self.zip] {
            var ends: [Int32] = [0, 0]
            #expect(pipe(&ends) == 0)
            #expect(data.withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) } == data.count)
            close(ends[1])
            let stream = try ByteStream(descriptor: ends[0], name: "pipe")
            #expect(stream.totalBytes == nil)
            #expect(try content(stream) == Self.text)
        }
    }

    /// Returns `data` a few bytes at a time, then ends or fails.
    private func pieces(_ data: Data, of size: Int, then failure: ReadingError? = nil) throws -> ByteStream {
        var rest = data
        return try ByteStream(name: "pieces", totalBytes: Int64(data.count)) { () throws(ReadingError) -> Data? in
            if rest.isEmpty, let failure { throw failure }
            defer { rest = rest.dropFirst(size) }
            return rest.isEmpty ? nil : rest.prefix(size)
        }
    }

    @Test("pieces of any size will do, and what breaks off fails with its reason")
    func brokenPieces() throws {
        let failure = ReadingError(code: "cut_short", message: "the download broke off")
        for data in [Data(Self.text.utf8), Self.gzip, Self.zip] {
            for size in [3, 1000] {
                let stream = try pieces(data, of: size)
                #expect(stream.totalBytes == Int64(data.count))
                #expect(try content(stream) == Self.text)
                #expect(stream.wireBytes == Int64(data.count))
                for length in [data.count / 2, data.count] {
                    #expect(throws: failure) {
                        try content(try pieces(data.prefix(length), of: size, then: failure))
                    }
                }
            }
        }
    }

    @Test("a piece larger than the buffer comes whole")
    func largePieces() throws {
        let data = Data((0..<1_000_000).map { UInt8($0 % 251) })
        let stream = try pieces(data, of: 600_000)
        #expect(try stream.read(upTo: 2_000_000) == Array(data))
    }

    @Test("a file that is missing or a folder is named")
    func unreadable() {
        #expect(throws: ReadingError.self) { try ByteStream(path: "\(directory.path)/missing") }
        #expect(throws: ReadingError.self) { try ByteStream(path: directory.path) }
    }

    @Test("a sample is what comes next, and all of it where there is less")
    func samples() throws {
        let stream = try stream(Data("first\nsecond\n".utf8))
        #expect(try stream.read(upTo: 8) == Array("first\nse".utf8))
        #expect(try stream.read(upTo: 1000) == Array("cond\n".utf8))
        #expect(try stream.read(upTo: 1) == [])
    }
}
