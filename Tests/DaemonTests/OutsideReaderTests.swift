import Foundation
import ProcessSupport
import SQLite
import Store
import TestSupport
import Testing

/// A sqlite3 shell that holds a read transaction until it is ended.
private final class OutsideReader: Sendable {
    static let isAvailable = ["/usr/bin/sqlite3", "/usr/local/bin/sqlite3"].contains {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    let process: Int32
    private let words = Facts<String>()
    private let ends = Facts<Int32>()
    private let input: Pipe

    init(_ database: String) throws {
        let (shell, output) = (Process(), Pipe())
        input = Pipe()
        shell.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        shell.arguments = ["sqlite3", "-readonly", "-batch", database]
        shell.standardInput = input
        shell.standardOutput = output
        output.fileHandleForReading.readabilityHandler = { [words] handle in
            let data = handle.availableData
            words.append(String(decoding: data, as: UTF8.self))
            if data.isEmpty { handle.readabilityHandler = nil }
        }
        shell.terminationHandler = { [ends] shell in ends.append(shell.terminationStatus) }
        try shell.run()
        process = shell.processIdentifier
        // The shell buffers its own output until its end, but not that of its commands.
        try input.fileHandleForWriting.write(
            contentsOf: Data("BEGIN; SELECT count(*) FROM events_v1;\n.system echo ready\n".utf8))
    }

    func waitUntilReading() async -> Bool { await words.wait { $0.joined().contains("ready") } }

    func end() async -> Bool {
        try? input.fileHandleForWriting.close()
        return await ends.wait { !$0.isEmpty }
    }
}

@Suite(.timeLimit(.minutes(60)), .enabled(if: OutsideReader.isAvailable, "the sqlite3 shell is not installed"))
struct OutsideReaderTests {
    @Test func theProcessThatKeepsTheWALFromShrinkingIsNamed() async throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/events.sqlite"
        let store = try EventStore(path: path)
        try store.setTrouble("before", of: .nominatim)
        #expect(WALReader.inTheWay(of: path) == nil)

        let reader = try OutsideReader(path)
        #expect(await reader.waitUntilReading())
        for number in 0..<20 { try store.setTrouble("\(number)", of: .nominatim) }
        #expect(WALReader.inTheWay(of: path) == WALReader(process: reader.process, name: "sqlite3"))
        // The query releases no lock of this process.
        #expect(try store.trouble(of: .nominatim) == "19")

        #expect(await reader.end())
        #expect(WALReader.inTheWay(of: path) == nil)
    }
}
