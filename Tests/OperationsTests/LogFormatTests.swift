import Foundation
import Logging
import Operations
import ProcessSupport
import Testing

/// Text from a feed must not add lines to the log, control a terminal, or imitate other fields.
@Suite struct LogFormatTests {
    private func line(_ format: LogFormat, _ value: String) throws -> String {
        try line(format, ["detail": "\(value)"])
    }

    private func line(_ format: LogFormat, _ facts: Logger.Metadata) throws -> String {
        let lines = Facts<String>()
        let handler = LineLogHandler(
            format: format, level: LogLevel(.trace), now: { Date(timeIntervalSince1970: 0) },
            output: { lines.append($0) })
        Logger(label: "test") { _ in handler }.notice("item is odd", metadata: facts)
        return try #require(lines.all.first)
    }

    @Test(arguments: [
        "a\nb", "a\u{1B}[31mb", "a\u{9B}31mb", "a\u{7F}b", "a\u{0}b", "a\u{85}b", "a\u{2028}b", "a\u{202E}b",
        "a\u{2066}b", "a\u{2069}b", "\u{202E}", "\u{1B}",
    ])
    func nothingUnsafeReachesALine(value: String) throws {
        for format in LogFormat.allCases {
            let line = try line(format, value)
            #expect(line.hasSuffix("\n"))
            #expect(line.dropLast().unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
            let hidden: [ClosedRange<UInt32>] = [0x80...0x9F, 0x2028...0x202E, 0x2066...0x2069]
            #expect(line.unicodeScalars.allSatisfy { scalar in !hidden.contains { $0.contains(scalar.value) } })
        }
    }

    @Test func aLineKeepsItsShape() throws {
        #expect(try line(.journal, "plain") == "<5>item is odd detail=plain\n")
        #expect(try line(.journal, "") == "<5>item is odd detail=\"\"\n")
        #expect(try line(.journal, "a \"b\"=\\") == "<5>item is odd detail=\"a \\\"b\\\"=\\\\\"\n")
        #expect(try line(.journal, "x\u{202E}y") == "<5>item is odd detail=\"x\\u202ey\"\n")
        #expect(try line(.logfmt, "é") == "1970-01-01T00:00:00.000Z notice  item is odd detail=é\n")
        let json = try line(.json, "a\u{9B}\nb")
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: String]
        #expect(object?["detail"] == "a\u{9B}\nb")
    }

    @Test(arguments: [Logger.Level.trace, .debug, .info, .notice, .warning, .error, .critical])
    func linesOfTheJournalBearTheirPriority(level: Logger.Level) throws {
        func line(_ format: LogFormat, isJournal: Bool) throws -> String {
            let lines = Facts<String>()
            let handler = LineLogHandler(
                format: format, isJournal: isJournal, level: LogLevel(.trace), now: { Date(timeIntervalSince1970: 0) },
                output: { lines.append($0) })
            Logger(label: "test") { _ in handler }.log(level: level, "started", metadata: ["a": "<3>"])
            return try #require(lines.all.first)
        }
        let priority = try line(.journal, isJournal: true).prefix(3)
        let json = try line(.json, isJournal: true)
        #expect(priority.hasPrefix("<") && priority.hasSuffix(">"))
        #expect(json.hasPrefix("\(priority){\"time\":"), "\(json)")
        // Elsewhere, as in a file or a container, each line is one object.
        #expect(try line(.json, isJournal: false) == json.dropFirst(3))
        #expect(try line(.logfmt, isJournal: true).hasPrefix("1970-01-01"))
    }

    @Test func numbersAreNumbersInJSONAndZerosAreForMachines() throws {
        let facts: Logger.Metadata = [
            "a": .number(-3), "b": .count(0), "c": .count(2), "d": .duration(.milliseconds(1_581_207)),
            "e": .size(498 << 20), "f": .seconds(-86_400), "g": .forMachines(Date(timeIntervalSince1970: 0.5)),
        ]
        #expect(try line(.journal, facts) == "<5>item is odd a=-3 c=2 d=26m21s e=498MiB f=-86400s\n")
        let json = try line(.json, facts)
        let numbers = #""a":-3,"b":0,"c":2,"d":1581.207,"e":522190848,"f":-86400,"g":"1970-01-01T00:00:00.500Z"}"#
        #expect(json.hasSuffix(numbers + "\n"), "\(json)")
        #expect(try JSONSerialization.jsonObject(with: Data(json.utf8)) is [String: Any])
    }
}
