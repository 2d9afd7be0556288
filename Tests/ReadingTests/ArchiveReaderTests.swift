import Foundation
import Testing

@testable import Reading

@Suite struct ArchiveReaderTests {
    /// `doc.kml`, a directory, a name beyond ASCII and one that leaves its directory.
    private let kmz = ArchiveReaderTests.archive(
        """
        UEsDBBQAAAAIAAAAIVB1GGR3CAAAAAYAAAAHAAAAZG9jLmttbLPJzs3RtwMAUEsDBBQAAAAIAAAAIVAAAAAAAgAAAAAAAAAGAAAA
        ZmlsZXMvAwBQSwMEFAAACAgAAAAhULVCrZgHAAAABQAAAAwAAABmaWxlcy/DqS50eHRLTkw7vBIAUEsDBBQAAAAIAAAAIVCDFtyM
        AwAAAAEAAAAQAAAALi4vLi4vZXNjYXBlLnR4dKsAAFBLAQIUAxQAAAAIAAAAIVB1GGR3CAAAAAYAAAAHAAAAAAAAAAAAAACAAQAA
        AABkb2Mua21sUEsBAhQDFAAAAAgAAAAhUAAAAAACAAAAAAAAAAYAAAAAAAAAAAAAAIABLQAAAGZpbGVzL1BLAQIUAxQAAAgIAAAA
        IVC1Qq2YBwAAAAUAAAAMAAAAAAAAAAAAAACAAVMAAABmaWxlcy/DqS50eHRQSwECFAMUAAAACAAAACFQgxbcjAMAAAABAAAAEAAA
        AAAAAAAAAAAAgAGEAAAALi4vLi4vZXNjYXBlLnR4dFBLBQYAAAAABAAEAOEAAAC1AAAAAAA=
        """)
    /// `<rss/>`.
    private let gzip = ArchiveReaderTests.archive("H4sIAAAAAAACA7MpKi7WtwMAZykovQYAAAA=")

    private static func archive(_ base64: String) -> Data {
        Data(base64Encoded: base64, options: .ignoreUnknownCharacters) ?? Data()
    }

    private func code(_ data: Data, limit: Int = 1 << 20) -> String? {
        do throws(ReadingError) {
            _ = try ArchiveReader.members(data, limit: limit)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func zipGivesItsFiles() throws {
        let members = try ArchiveReader.members(kmz, limit: 100)
        #expect(members.map(\.name) == ["doc.kml", "files/é.txt", "../../escape.txt"])
        #expect(members.map { String(decoding: $0.data, as: UTF8.self) } == ["<kml/>", "café", "x"])
    }

    @Test func gzipGivesOneMember() throws {
        let members = try ArchiveReader.members(gzip, limit: 6)
        #expect(members.map { String(decoding: $0.data, as: UTF8.self) } == ["<rss/>"])
        let two = Self.archive("H4sIAAAAAAACA7MpKi62AwAaKwHwBQAAAB+LCAAAAAAAAgOz0S8qLrYDACBXGdMGAAAA")
        let joined = try ArchiveReader.members(two, limit: 11)
        #expect(joined.map { String(decoding: $0.data, as: UTF8.self) } == ["<rss></rss>"])
        let empty = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        let nothing = try ArchiveReader.members(empty, limit: 0)
        #expect(nothing.map(\.data) == [Data()])
    }

    @Test func archivesAreKnownByTheirFirstBytes() {
        #expect(ArchiveReader.isArchive(kmz))
        #expect(ArchiveReader.isArchive(gzip))
        #expect(!ArchiveReader.isArchive(Data("<kml/>".utf8)))
        #expect(!ArchiveReader.isArchive(Data()))
        #expect(code(Data("<kml/>".utf8)) == "not_archive")
        // A slice of a larger buffer does not start at index 0.
        #expect(code((Data([0, 0]) + kmz).dropFirst(2)) == nil)
    }

    @Test func aTruncatedArchiveIsRefused() {
        for archive in [kmz, gzip] {
            for length in 0..<archive.count {
                let prefix = archive.prefix(length)
                let expected = ArchiveReader.isArchive(prefix) ? "bad_archive" : "not_archive"
                #expect(code(prefix) == expected, "cut at \(length)")
            }
        }
    }

    @Test func damageIsFound() {
        // After the header of ten bytes every byte matters: data, checksum and length.
        for index in 10..<gzip.count {
            var damaged = gzip
            damaged[index] ^= 0x01
            #expect(code(damaged) == "bad_archive", "byte \(index)")
        }
        var damaged = kmz
        damaged[damaged.startIndex + 38] ^= 0x10
        #expect(code(damaged) == "bad_archive")
        #expect(code(gzip + Data("junk".utf8)) == "bad_archive")
    }

    @Test func bombsStopAtTheLimit() {
        // 200 000 zero bytes in one stream, and in two files together.
        let gzipBomb = Self.archive(
            """
            H4sIAAAAAAACA+3BMQEAAADCoPVPbQZ/oAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
            AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
            AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACA1wB7WOBc
            QA0DAA==
            """)
        #expect(code(gzipBomb, limit: 199_999) == "too_large")
        #expect(code(gzipBomb, limit: 200_000) == nil)
        let zipBomb = Self.archive(
            """
            UEsDBBQAAAAIAAAAIVB9lRHUcgAAAKCGAQABAAAAYe3BMQEAAADCoPVPbQ0PoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
            AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIBXA1BLAwQU
            AAAACAAAACFQfZUR1HIAAACghgEAAQAAAGLtwTEBAAAAwqD1T20ND6AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
            AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACAVwNQSwECFAMUAAAA
            CAAAACFQfZUR1HIAAACghgEAAQAAAAAAAAAAAAAAgAEAAAAAYVBLAQIUAxQAAAAIAAAAIVB9lRHUcgAAAKCGAQABAAAAAAAAAAAA
            AACAAZEAAABiUEsFBgAAAAACAAIAXgAAACIBAAAAAA==
            """)
        #expect(code(zipBomb, limit: 199_999) == "too_large")
        #expect(code(zipBomb, limit: 200_000) == nil)
    }

    @Test func theNumberOfFilesIsLimited() {
        #expect(code(zip(ofEmptyFiles: 10_000)) == nil)
        #expect(code(zip(ofEmptyFiles: 10_001)) == "too_large")
    }

    @Test func theNumberOfEntriesThatAreLeftOutIsLimited() {
        #expect(code(zip(ofEmptyFiles: 40_000) { "d\($0)/" }) == nil)
        #expect(code(zip(ofEmptyFiles: 40_001) { "d\($0)/" }) == "too_large")
        #expect(code(zip(ofEmptyFiles: 40_001) { "__MACOSX/._f\($0)" }) == "too_large")
    }

    @Test func aPasswordIsReported() {
        let encrypted = Self.archive(
            """
            UEsDBBQAAQAIAAAAIVB1GGR3CAAAAAYAAAAHAAAAZG9jLmttbLPJzs3RtwMAUEsBAhQDFAABAAgAAAAhUHUYZHcIAAAABgAAAAcA
            AAAAAAAAAAAAAIABAAAAAGRvYy5rbWxQSwUGAAAAAAEAAQA1AAAALQAAAAAA
            """)
        #expect(code(encrypted) == "encrypted")
    }

    /// A zip archive of stored empty files (APPNOTE 4.3.7, 4.3.12, 4.3.16).
    private func zip(ofEmptyFiles count: Int, named naming: (Int) -> String = { "f\($0)" }) -> Data {
        var bytes: [UInt8] = []
        var directory: [UInt8] = []
        func little(_ value: Int, _ size: Int) -> [UInt8] { (0..<size).map { UInt8(value >> ($0 * 8) & 0xFF) } }
        for number in 0..<count {
            let name = Array(naming(number).utf8)
            // Version, flags, method, time, date, checksum, sizes, length of the name, length of the extra field.
            let common = little(20, 2) + [UInt8](repeating: 0, count: 20) + little(name.count, 2) + little(0, 2)
            directory += [0x50, 0x4B, 1, 2] + little(20, 2) + common + [UInt8](repeating: 0, count: 10)
            directory += little(bytes.count, 4) + name
            bytes += [0x50, 0x4B, 3, 4] + common + name
        }
        let start = bytes.count
        bytes += directory
        bytes += [0x50, 0x4B, 5, 6, 0, 0, 0, 0] + little(count, 2) + little(count, 2)
        bytes += little(directory.count, 4) + little(start, 4) + [0, 0]
        return Data(bytes)
    }
}
