import Files
import Foundation
import Operations
import TestSupport
import Testing

@Suite struct ConfigurationReplacementTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory.path + "/v.yaml" }

    private func write(_ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }

    private func content() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    }

    @Test func modeAndLinkStay() throws {
        try write("old")
        #expect(chmod(path, 0o604) == 0)
        let link = directory.path + "/link.yaml"
        #expect(symlink("v.yaml", link) == 0)
        try ConfigurationReplacement.replace(link, having: Data("old".utf8), with: Data("new".utf8))
        #expect(try content() == "new")
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o7777 == 0o604)
        var linkStatus = stat()
        #expect(lstat(link, &linkStatus) == 0 && linkStatus.st_mode & S_IFMT == S_IFLNK)
        #expect(try names() == ["link.yaml", "v.yaml"])
    }

    @Test func aFileThatWasChangedMeanwhileStays() throws {
        try write("edited by hand")
        let error = try #require(throws: FileError.self) {
            try ConfigurationReplacement.replace(path, having: Data("old".utf8), with: Data("new".utf8))
        }
        #expect(error.code == .changed)
        #expect(error.message.contains("was changed meanwhile, so nothing has been written"), "\(error)")
        #expect(try content() == "edited by hand")
        #expect(try names() == ["v.yaml"])
    }

    @Test func aFileWithTwoNamesStays() throws {
        try write("old")
        #expect(link(path, directory.path + "/other.yaml") == 0)
        let error = try #require(throws: FileError.self) {
            try ConfigurationReplacement.replace(path, having: Data("old".utf8), with: Data("new".utf8))
        }
        #expect(error.code == .cannotCreate)
        #expect(error.message.contains("has 2 names (hard links)"), "\(error)")
        #expect(try content() == "old")
    }

    @Test func aFileThatIsGoneIsNotMade() throws {
        #expect(throws: FileError.self) {
            try ConfigurationReplacement.replace(path, having: Data(), with: Data("new".utf8))
        }
        #expect(try names().isEmpty)
    }
}
