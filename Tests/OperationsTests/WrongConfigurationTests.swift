import Foundation
import Operations
import Settings
import TestSupport
import Testing

@Suite struct WrongConfigurationTests {
    /// Each file has one fault; the file beside it has the expected output of `visiventd check`.
    @Test func everyWrongFileIsRefusedInTheWordsBesideIt() throws {
        let names = try Self.names(in: "config/wrong")
        try #require(names.count >= 290)
        for name in names {
            let words = String(decoding: try Fixtures.data("config/wrong/\(name.dropLast(5)).txt"), as: UTF8.self)
            let expected = words.split(separator: "\n").map { String($0) }
            try #require(!expected.isEmpty, "\(name)")
            #expect(Self.faults(of: name, in: "config/wrong") == expected)
            #expect(!words.lowercased().contains("hunter2"), "\(name) shows a secret")
        }
    }

    /// Files that look odd and are valid.
    @Test func everyRightFileIsAccepted() throws {
        let names = try Self.names(in: "config/right")
        try #require(names.count >= 15)
        for name in names { #expect(Self.faults(of: name, in: "config/right") == [], "\(name)") }
    }

    /// The faults of a file, with the command run in its folder.
    private static func faults(of name: String, in folder: String) -> [String] {
        let path = Fixtures.url(folder).path
        do {
            _ = try SettingsReader.read(path: "\(path)/\(name)", environment: [:])
            return []
        } catch {
            return error.faults.map { String($0.description.dropFirst(path.count + 1)) }
        }
    }

    private static func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: Fixtures.url(folder).path)
            .filter { $0.hasSuffix(".yaml") }.sorted()
    }
}
