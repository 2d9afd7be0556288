import Foundation
import FuzzTargets
import TestSupport
import Testing

/// Runs the checks on every seed of `Fixtures/` and on every document that fuzzing found.
@Suite struct FuzzFixtureTests {
    @Test(arguments: FuzzTarget.all)
    func documentsHoldWhatFuzzingChecks(target: FuzzTarget) throws {
        let files = try target.seeds.flatMap { try Self.files($0) }
        #expect(!files.isEmpty, "\(target) has no document to begin with")
        for file in files {
            let data = try Data(contentsOf: file)
            #expect(throws: Never.self, "\(file.lastPathComponent)") { try target.check(data) }
            // Truncated, as by a broken connection.
            #expect(throws: Never.self, "half of \(file.lastPathComponent)") {
                try target.check(data.prefix(data.count / 2))
            }
        }
    }

    @Test func targetsHaveNamesOfTheirOwn() {
        let names = FuzzTarget.all.map { $0.name }
        #expect(Set(names).count == names.count)
    }

    /// The files of a pattern `folder/*ending`; empty if the folder is missing.
    private static func files(_ pattern: String) throws -> [URL] {
        let parts = pattern.split(separator: "*", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return [Fixtures.url(pattern)] }
        let slash = parts[0].lastIndex(of: "/") ?? parts[0].endIndex
        let folder = Fixtures.url(String(parts[0][..<slash]))
        let start = parts[0][slash...].dropFirst()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasPrefix(start) && $0.hasSuffix(parts[1]) && !$0.hasPrefix(".") }.sorted()
            .map { folder.appendingPathComponent($0) }.filter { !isFolder($0) }
    }

    private static func isFolder(_ file: URL) -> Bool {
        (try? file.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true
    }
}
