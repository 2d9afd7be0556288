import Foundation
import ProcessSupport
import TestSupport
import Testing

/// The completions of bash with the generated script.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct CompletionTests {
    private let directory = TemporaryDirectory()

    /// Calls the script's function like bash, in the folder of the test.
    private static let question = """
        cd "$1"
        source <("$2" --generate-completion-script bash)
        COMP_WORDS=("${@:2}")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        COMP_LINE="${COMP_WORDS[*]}"
        COMP_POINT=${#COMP_LINE}
        _visiventd visiventd "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\\n' "${COMPREPLY[@]}"
        """

    /// The completions of the last word.
    private func offers(_ words: String...) async throws -> [String] {
        let program = try #require(DaemonProcess.executable?.path)
        let run = try await MeasuredRun.of(["bash", "-c", Self.question, "bash", directory.path, program] + words)
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        return run.output.split(separator: "\n").map { String($0) }.sorted()
    }

    @Test(arguments: [
        ["run", "--config"], ["serve", "--database"], ["status", "--database"], ["place", "--database"],
        ["seed", "cities", "--table"],
        ["geocode", "--table"],
        ["reload", "--socket"], ["seed", "cities"], ["seed", "regions"], ["seed", "volcanoes"], ["decode", "usgs"],
        ["backup"], ["import"], ["import", "--output"], ["export", "--config"],
    ])
    func filesAreOfferedWherePathsAreTaken(words: [String]) async throws {
        for name in ["mine.yaml", "mine.txt", "other.txt"] {
            try Data().write(to: URL(fileURLWithPath: directory.path + "/" + name))
        }
        let program = try #require(DaemonProcess.executable?.path)
        let run = try await MeasuredRun.of(
            ["bash", "-c", Self.question, "bash", directory.path, program] + words + ["mi"])
        #expect(Set(run.output.split(separator: "\n")) == ["mine.yaml", "mine.txt"], "\(words): \(run.output)")
    }

    @Test func kindsAndCategoriesAreOffered() async throws {
        #expect(try await offers("decode", "") == ["cap", "kml", "rss", "sitemap", "twitter", "usgs"])
        #expect(try await offers("events", "--category", "ear") == ["earthquake"])
        #expect(try await offers("authors", "--category", "m").contains("message"))
        #expect(try await offers("events", "--country", "J") == ["JE", "JM", "JO", "JP"])
        #expect(try await offers("events", "--format", "geo").contains("geojson"))
        #expect(try await offers("export", "--format", "") == ["ndjson", "opml"])
    }

    @Test(arguments: [
        ("events", "--precision", ["city", "country", "point", "region"]),
        ("events", "--evidence", ["author", "dateline", "distance", "place", "summary", "title"]),
        ("events", "--withdrawn", ["exclude", "include", "only"]), ("events", "--sort", ["magnitude", "time"]),
        ("events", "--provider", ["gvp", "reuters", "twitter", "usgs"]),
        ("authors", "--precision", ["city", "country", "point", "region"]),
        ("authors", "--format", ["csv", "ndjson", "table"]),
        ("volcanoes", "--format", ["csv", "geojson", "json", "ndjson", "table"]),
    ]) func wordsThatAreFixedAreOffered(command: String, option: String, words: [String]) async throws {
        #expect(try await offers(command, option, "") == words)
    }

    @Test func sourcesAreThoseOfTheConfigurationAndNothingIsSaidWithoutOne() async throws {
        let text = "sources: [{name: news, kind: rss, url: \"file:///f\"}, {name: quakes, kind: usgs}]\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: directory.path + "/v.yaml"))
        for words in [
            ["poll"], ["reset"], ["set"], ["refused"], ["events", "--source"], ["decode", "--last-failure"],
        ] {
            #expect(try await offers(in: words, "-c", "v.yaml") == ["news", "quakes"], "\(words)")
            #expect(try await offers(in: words, "--config", "'v.yaml'") == ["news", "quakes"], "\(words)")
            #expect(try await offers(in: words, "--config", "none.yaml").isEmpty, "\(words)")
        }
    }

    @Test func sourcesOfTheFolderAreOffered() async throws {
        for (name, source) in [("v.yaml", "quakes"), ("conf.d/a.yaml", "news")] {
            let file = URL(fileURLWithPath: directory.path + "/" + name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("sources: [{name: \(source), kind: usgs}]\n".utf8).write(to: file)
        }
        #expect(try await offers(in: ["poll"], "-c", "v.yaml") == ["news", "quakes"])
    }

    /// The completions of an empty word after these, with the configuration in between.
    private func offers(in words: [String], _ option: String, _ file: String) async throws -> [String] {
        let program = try #require(DaemonProcess.executable?.path)
        let line: [String] = [words[0], option, file] + words.dropFirst() + [""]
        let run = try await MeasuredRun.of(["bash", "-c", Self.question, "bash", directory.path, program] + line)
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        return run.output.split(separator: "\n").map { String($0) }.sorted()
    }
}
