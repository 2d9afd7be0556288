import Foundation
import ProcessSupport
import TestSupport
import Testing

/// Hostile documents against the real program: each ends with an error that names the limit, in time, and within the
/// promised memory.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not there"), .serialized,
    .timeLimit(.minutes(60)))
struct HostileDocumentTests {
    /// A document and the expected result.
    struct Case: Sendable, CustomTestStringConvertible {
        /// The name of the case.
        var name: String
        var kind: String
        /// The text of the error.
        var words: String
        /// Largest memory in MB: the measured value and 30 %.
        var maximumMegabytes: Int
        /// Creates the document.
        var document: @Sendable () -> Data

        var testDescription: String { name }
    }

    private static let cases = [
        Case(name: "10 GB in a KMZ", kind: "kml", words: "unpacks to more than 67108864 bytes", maximumMegabytes: 150) {
            let zeros = Bombs.zeros(1 << 30)
            return Bombs.zip((0..<10).map { .init(name: "d\($0).kml", packed: zeros, declared: 1 << 30) })
        },
        Case(name: "a KMZ that lies", kind: "kml", words: "unpacks to more than 67108864 bytes", maximumMegabytes: 140)
        {
            Bombs.zip([.init(name: "doc.kml", packed: Bombs.zeros(1 << 30), declared: 100)])
        },
        Case(name: "a KMZ in a KMZ", kind: "kml", words: "holds no .kml", maximumMegabytes: 70) {
            let inner = Bombs.zip([.init(name: "doc.kml", packed: Bombs.zeros(1 << 30), declared: 1 << 30)])
            return Bombs.zip([
                .init(
                    name: "inner.kmz", packed: inner, isDeflated: false, declared: inner.count,
                    checksum: Bombs.checksum(inner))
            ])
        },
        Case(name: "many files in a KMZ", kind: "kml", words: "more than 10000 files", maximumMegabytes: 75) {
            // An empty deflate stream.
            Bombs.zip((0..<20_000).map { .init(name: "\($0).kml", packed: Data([3, 0])) })
        },
        Case(name: "gzip of 1 GB", kind: "rss", words: "unpacks to more than 67108864 bytes", maximumMegabytes: 140) {
            Bombs.gzip(zeros: 1 << 30)
        },
        Case(name: "deep KML", kind: "kml", words: "nested more than 256 elements deep", maximumMegabytes: 60) {
            Self.repeated("<Folder>", 200_000, after: "<kml xmlns=\"http://www.opengis.net/kml/2.2\"><Document>")
        },
        Case(name: "100 MB of tags", kind: "rss", words: "nested more than 256 elements deep", maximumMegabytes: 180) {
            Self.repeated("<a>", 33_000_000, after: "<rss version=\"2.0\"><channel><item>")
        },
        Case(name: "a million attributes", kind: "rss", words: "more than 1000 attributes", maximumMegabytes: 85) {
            Self.repeated("a=\"1\" ", 4_000_000, after: "<rss version=\"2.0\"><channel><item ")
        },
        Case(name: "100 MB of brackets", kind: "usgs", words: "the JSON is nested too deeply", maximumMegabytes: 210) {
            Data(repeating: UInt8(ascii: "["), count: 100_000_000)
        },
        Case(
            name: "features that are numbers", kind: "usgs", words: "more than 5000000 values", maximumMegabytes: 150
        ) {
            Self.repeated("1,", 32_000_000, after: "{\"type\":\"FeatureCollection\",\"features\":[") + Data("1]}".utf8)
        },
        Case(
            name: "messages that are numbers", kind: "twitter", words: "more than 5000000 values",
            maximumMegabytes: 150
        ) {
            Self.repeated("1,", 32_000_000, after: "[") + Data("1]".utf8)
        },
        Case(name: "a line of 100 MB", kind: "twitter", words: "string is opened, but never", maximumMegabytes: 310) {
            Self.repeated("xxxxxxxxxx", 10_000_000, after: "{\"text\":\"")
        },
    ]

    private static func repeated(_ text: String, _ times: Int, after beginning: String) -> Data {
        let many = 1000
        let block = Data(String(repeating: text, count: many).utf8)
        var document = Data(beginning.utf8)
        document.reserveCapacity(document.count + block.count * (times / many))
        for _ in 0..<(times / many) { document.append(block) }
        return document
    }

    @Test(arguments: HostileDocumentTests.cases)
    func hostileDocumentsMeetALimit(it: Case) async throws {
        let directory = TemporaryDirectory()
        let file = directory.path + "/visiventd.yaml"
        try it.document().write(to: directory.url.appendingPathComponent("document"))
        try """
        database: "\(directory.path)/events.sqlite"
        control_socket: "\(directory.path)/control.sock"
        fetch: {maximum_body: 128MiB, maximum_transfer: 128MiB}
        sources:
          - {name: hostile, kind: \(it.kind), url: "file://\(directory.path)/document", enabled: true}
        """.write(toFile: file, atomically: true, encoding: .utf8)
        let program = try #require(DaemonProcess.executable).path
        let run = try await MeasuredRun.of([program, "poll", "hostile", "--config", file])
        #expect(run.status == 75, "\(run.errors)")
        #expect(run.output.contains(it.words), "\(run.output.prefix(500))")
        #expect(run.duration < .seconds(20))
        #expect(run.peakBytes < it.maximumMegabytes << 20, "\(run.peakBytes >> 20) MB")
    }

    /// Eleven nested entities, each ten times as long as the one before.
    private static let laughs: String = {
        var text = "<!ENTITY a0 \"ha\">"
        for number in 1...11 {
            let tenfold = String(repeating: "&a\(number - 1);", count: 10)
            text += "<!ENTITY a\(number) \"\(tenfold)\">"
        }
        return text + "]><rss version=\"2.0\"><channel><item><title>&a11;</title>"
    }()

    /// A large entity, referenced a hundred thousand times.
    private static let quadratic: String = {
        var text = "<!ENTITY a \"" + String(repeating: "x", count: 100_000) + "\">"
        text += "]><rss version=\"2.0\"><channel><item><title>" + String(repeating: "&a;", count: 100_000)
        return text + "</title>"
    }()

    /// External entities: a file and a host.
    private static let external: String =
        "<!ENTITY a SYSTEM \"file:///etc/passwd\"><!ENTITY % p SYSTEM \"http://127.0.0.1:1/x.dtd\">%p;]>"
        + "<rss version=\"2.0\"><channel><item><title>see &a;</title>"

    @Test(
        "entities of a document are never expanded",
        arguments: [HostileDocumentTests.laughs, HostileDocumentTests.quadratic, HostileDocumentTests.external])
    func entities(document: String) async throws {
        let directory = TemporaryDirectory()
        let file = directory.path + "/feed.xml"
        try "<?xml version=\"1.0\"?><!DOCTYPE rss [\(document)<guid>1</guid></item></channel></rss>"
            .write(toFile: file, atomically: true, encoding: .utf8)
        let program = try #require(DaemonProcess.executable).path
        let run = try await MeasuredRun.of([program, "decode", "rss", file])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.utf8.count < 512 << 10)
        #expect(!run.output.contains("root:"))
        #expect(run.duration < .seconds(10))
        #expect(run.peakBytes < 60 << 20, "\(run.peakBytes >> 20) MB")
    }

    @Test("half a million items are refused for their number")
    func manyItems() async throws {
        let directory = TemporaryDirectory()
        let file = directory.url.appendingPathComponent("feed.xml")
        var items = Data()
        for number in 0..<1000 { items.append(contentsOf: "<item><guid>\(number)</guid><title>a</title></item>".utf8) }
        var feed = Data("<rss version=\"2.0\"><channel>".utf8)
        for _ in 0..<500 { feed.append(items) }
        feed.append(contentsOf: "</channel></rss>".utf8)
        try feed.write(to: file)
        let program = try #require(DaemonProcess.executable).path
        let run = try await MeasuredRun.of([program, "decode", "rss", file.path, "--count"])
        #expect(run.status == 65)
        #expect(run.errors.contains("items"), "\(run.errors)")
        #expect(run.duration < .seconds(30))
        #expect(run.peakBytes < 340 << 20, "\(run.peakBytes >> 20) MB")
    }

    @Test("a line of 1 GB in a city table costs itself alone")
    func endlessLine() async throws {
        let directory = TemporaryDirectory()
        let file = directory.path + "/cities.txt"
        let rows = "Country,City,AccentCity,Region,Population,Latitude,Longitude\nde,town,Town,01,5,50,8\nde,b"
        try rows.write(toFile: file, atomically: true, encoding: .utf8)
        // A sparse file: a line of zeros without end.
        #expect(truncate(file, 1 << 30) == 0)
        let program = try #require(DaemonProcess.executable).path
        let table = directory.path + "/cities.sqlite"
        let run = try await MeasuredRun.of([program, "seed", "cities", file, "--table", table])
        #expect(run.status == 0, "\(run.errors)")
        #expect((run.output + run.errors).contains("too_long"))
        #expect(run.duration < .seconds(60))
        #expect(run.peakBytes < 60 << 20, "\(run.peakBytes >> 20) MB")
    }

    @Test("a packed volcano list of 1 GB is refused")
    func packedVolcanoList() async throws {
        let directory = TemporaryDirectory()
        let file = directory.url.appendingPathComponent("volcanoes.gz")
        try Bombs.gzip(zeros: 1 << 30).write(to: file)
        let program = try #require(DaemonProcess.executable).path
        let run = try await MeasuredRun.of(
            [program, "seed", "volcanoes", file.path, "--database", directory.path + "/events.sqlite"])
        #expect(run.status == 74, "\(run.errors)")
        #expect(run.errors.contains("unpacks to more than 67108864 bytes"), "\(run.errors)")
        #expect(run.peakBytes < 130 << 20, "\(run.peakBytes >> 20) MB")
    }
}
