import Foundation
import Gazetteer
import ProcessSupport
import Reading
import TestSupport
import Testing

/// The real program, killed or stopped during a seeding.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct SeedKillTests {
    /// When the signal is sent.
    private enum Moment: CustomStringConvertible {
        /// After this many bytes of the input.
        case bytes(Int)
        /// When standard error has this line.
        case line(String)

        /// Whether all rows have been read by then; the new table may then precede the signal.
        var isLate: Bool {
            if case .line = self { true } else { false }
        }

        var description: String {
            switch self {
            case .bytes(let count): "after \(count) bytes"
            case .line(let words): "at \"\(words)\""
            }
        }
    }

    private static let rounds =
        ProcessInfo.processInfo.environment["VISIVENTD_KILL_ROUNDS"].flatMap { Int($0) } ?? 5

    private static let heading = "Country,City,AccentCity,Region,Population,Latitude,Longitude\n"

    /// 300 000 rows in MaxMind's format.
    private static let input: [UInt8] = {
        var text = Array(heading.utf8)
        for number in 0..<300_000 {
            let latitude = "\(number % 90).\(1000 + number % 9000)"
            text += "de,new town \(number),New Town \(number),0\(number % 9 + 1),\(number % 70),\(latitude),8.5\n".utf8
        }
        return text
    }()

    /// Random moments by xorshift64*, the same in every run.
    private static func moments(_ count: Int) -> [Moment] {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        return (0..<count).map { _ in
            state ^= state >> 12
            state ^= state << 25
            state ^= state >> 27
            let share = Double((state &* 0x2545_F491_4F6C_DD1D) >> 11) / Double(1 << 53)
            if share < 0.75 { return .bytes(1 + Int(clamping: share / 0.75 * Double(input.count - 1))) }
            return .line(share < 0.9 ? "building the indexes" : "writing the table to the disk")
        }
    }

    private func oldTable(in directory: TemporaryDirectory) throws -> String {
        let path = directory.path + "/cities.sqlite"
        let file = directory.path + "/old.txt"
        try Data((Self.heading + "de,old town,Old Town,01,5,50,8\n").utf8).write(to: URL(fileURLWithPath: file))
        let seeder = try Seeder([SeedInput(name: file, stream: try ByteStream(path: file))], into: path)
        _ = try seeder.run(at: Date(timeIntervalSince1970: 0))
        try FileManager.default.removeItem(atPath: file)
        return path
    }

    private func answers(_ path: String, to name: String) throws -> Bool {
        let key = NameKey(folded: NameFolding.folded(name).utf8)
        return try !CityTable(path: path).cities(named: key).isEmpty
    }

    @Test("after kill -9 at any moment the old table answers, and the next start leaves no stray file")
    func kills() async throws {
        let directory = TemporaryDirectory()
        let path = try oldTable(in: directory)
        for moment in Self.moments(Self.rounds) {
            let process: SeedProcess
            switch moment {
            case .bytes(let count):
                process = try SeedProcess(table: path)
                process.feed(Self.input[..<count], thenKill: true)
            case .line(let words):
                process = try SeedProcess(table: path) { process, line in
                    if line.contains(words) { process.signal(SIGKILL) }
                }
                process.feed(Self.input[...], thenKill: false)
            }
            let status = try #require(await process.exit())
            if case .line = moment, status == 0 {
                // The seeding ended before the signal; the new table is complete.
                #expect(try answers(path, to: "New Town 299999"), "\(moment)")
                try FileManager.default.removeItem(atPath: path)
                _ = try oldTable(in: directory)
            } else {
                #expect(status == -SIGKILL, "\(moment): \(process.lines.all)")
                let isOld = try answers(path, to: "Old Town")
                let mayBeNew = try answers(path, to: "New Town 299999") && moment.isLate
                #expect(isOld || mayBeNew, "\(moment)")
            }
            CityTableBuilder.removeLeftovers(at: path)
            let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            #expect(files == ["cities.sqlite"], "\(moment)")
        }
        // The program itself removes what the last kill left.
        let victim = try SeedProcess(table: path)
        victim.feed(Self.input[..<(Self.input.count / 2)], thenKill: true)
        #expect(await victim.exit() == -SIGKILL)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 2)
        let last = try SeedProcess(table: path)
        last.feed(Self.input[...], thenKill: false)
        #expect(await last.exit() == 0, "\(last.lines.all)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["cities.sqlite"])
        #expect(try answers(path, to: "New Town 299999"))
        #expect(try !answers(path, to: "Old Town"))
    }

    @Test("SIGTERM and SIGINT remove the new file, and the old table stays", arguments: [SIGTERM, SIGINT])
    func signals(number: Int32) async throws {
        let directory = TemporaryDirectory()
        let path = try oldTable(in: directory)
        let process = try SeedProcess(table: path) { process, line in
            if line.contains("reading") { process.signal(number) }
        }
        process.feed(Self.input[..<(Self.input.count / 2)], thenKill: false, ending: false)
        #expect(await process.exit() == 128 + number, "\(process.lines.all)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["cities.sqlite"])
        #expect(try answers(path, to: "Old Town"))
    }
}
