import Foundation
import Testing

@Suite struct ReadmeTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test func itsLayoutHasEveryFolderOfTheSources() throws {
        let text = try String(contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
        let layout = try #require(text.components(separatedBy: "\n## Layout\n").last)
        for folder in try FileManager.default.contentsOfDirectory(atPath: Self.root.path + "/Sources") {
            #expect(layout.contains("`\(folder)`") || layout.contains("`Sources/\(folder)`"), "\(folder)")
        }
    }
}
