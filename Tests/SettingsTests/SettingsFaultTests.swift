import Foundation
import Model
import Settings
import TestSupport
import Testing

@Suite struct SettingsFaultTests {
    @Test func allFaultsComeInOneRunInTheOrderOfTheFile() {
        let found = faults(
            """
            log: {level: loud}
            sources:
              - kind: usgs
                name: b
                offset: soon
              - name: b
                kind: rss
                url: https://example.org/
                topics: [x]
                colour: red
              - 1
            fetch: []
            """)
        #expect(
            found.map { line in String(line.prefix { $0 != ";" }) } == [
                "visiventd.yaml:1:7: log.level: found \"loud\"",
                "visiventd.yaml:5:5: sources[0].offset: found \"soon\"",
                "visiventd.yaml:6:5: sources[1].name: found \"b\", which is the name of sources[0] on line 4",
                "visiventd.yaml:9:5: sources[1].topics: found topics, but the URL has no {topic}",
                "visiventd.yaml:10:5: sources[1].colour: unknown key for kind rss",
                "visiventd.yaml:11:5: sources[2]: found a single value",
                "visiventd.yaml:12:8: fetch: found a list",
            ])
    }

    @Test func theFirstKeyThatIsGivenTwiceComesAlone() {
        let end = "; accepted: each key once"
        let sources = "sources:\n  - name: a\n    kind: usgs\n    \"name\": b\n"
        for text in [sources + "log: {level: loud}\n", sources + "log: 1\nlog: 2\n"] {
            #expect(faults(text) == ["visiventd.yaml:2:5: name: given twice in one mapping" + end])
        }
        let long = String(repeating: "k", count: 70)
        #expect(
            faults("\(long): 1\n\(long): 2\n") == [
                "visiventd.yaml:1:1: \(long.prefix(64))…: given twice in one mapping" + end
            ])
        // The order of these keys is random.
        for text in ["? [a]\n: 1\n? [a]\n: 2\n", "!!int a: 1\n!!int a: 2\na: 3\na: 4\n"] {
            #expect(
                faults(text) == [
                    "visiventd.yaml: a key is given twice in one mapping; accepted: words as keys, each once"
                ])
        }
    }

    @Test func secretsAreNeverQuoted() {
        let secret = "hunter2"
        let found = faults(
            """
            contact: "my token: (\(secret))"
            password: \(secret)
            sources:
              - name: x bearer \(secret)
                kind: twitter
                url: https://me:\(secret)@example.org/?key=\(secret)
                proxy: \(secret)@proxy
                api_key: \(secret)
                api_key_file: [\(secret)]
                bearer_token_file: "env:\(secret)!"
                headers:
                  Cookie: session=\(secret)
                  "X Secret": \(secret)
                authorization: {basic: \(secret)}
                topics: {a: \(secret)}
              - api_key:\(secret)
            """)
        #expect(found.count == 13)
        #expect(!found.joined().contains(secret))
        // A syntax error does not quote the file either.
        let broken = faults("sources:\n  - api_key: \"\(secret)\n")
        #expect(broken.count == 1)
        #expect(!broken.joined().contains(secret))
    }

    @Test func aliasesCannotMakeABomb() throws {
        var values = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        var keys = "a0: &a0 [x, x]\n"
        for level in 1...30 {
            let below = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            values += "a\(level): &a\(level) [\(below)]\n"
            keys += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1)]\n"
        }
        keys += "? *a30\n: x\n"
        for text in [values, keys] {
            #expect(
                faults(text) == [
                    "visiventd.yaml: the aliases (*name) would expand beyond all bounds; "
                        + "accepted: fewer aliases, not nested"
                ])
        }
        // Below that estimate the values are counted.
        let many = "big: &big [" + String(repeating: "1,", count: 1_000) + "]\nall: ["
        let found = faults(many + String(repeating: "*big,", count: 60) + "]\n")
        #expect(found.count == 1)
        #expect(found.first?.contains("at most 50000 values") == true)
    }

    @Test func depthIsBounded() {
        let found = faults("a: " + String(repeating: "[", count: 100) + String(repeating: "]", count: 100) + "\n")
        #expect(found.count == 1)
        #expect(found.first?.contains("32 levels") == true)
    }

    @Test func filesThatCannotBeRead() {
        func faultsReading(_ contents: @escaping @Sendable (String) throws -> Data) -> [String] {
            do {
                _ = try SettingsReader.read(
                    path: "v.yaml", kinds: TestKinds.all, environment: [:], files: FileReading(contents: contents))
                return []
            } catch {
                return error.faults.map { $0.description }
            }
        }
        #expect(
            faultsReading { _ in throw FileReadingError("No such file or directory") } == [
                "v.yaml: cannot be read: No such file or directory; "
                    + "accepted: a readable YAML file; --config names another"
            ])
        #expect(
            faultsReading { _ in throw FileReadingError("Too many open files", isTransient: true) } == [
                "v.yaml: cannot be read just now: Too many open files"
            ])
        #expect(
            faultsReading { _ in Data(Array("contact: a\ncontact\n# ".utf8) + [0xE9, 0x0A]) } == [
                "v.yaml:3:3: found a byte that is not UTF-8; accepted: UTF-8 text"
            ])
        #expect(
            faultsReading { _ in Data(repeating: 0x23, count: (1 << 20) + 1) } == [
                "v.yaml: larger than 1 MiB; accepted: a file of at most 1 MiB"
            ])
        #expect(
            faultsReading { _ in Data() } == [
                "v.yaml:1:1: sources: missing; accepted: at least one source, as a list: - name: …"
            ])
        #expect(
            faultsReading { _ in Data("contact: a\nlog: \u{1}\n".utf8) } == [
                "v.yaml:2:6: not YAML: control characters are not allowed"
            ])
    }

    @Test func theDiskIsRead() throws {
        let folder = TemporaryDirectory()
        let path = folder.path + "/v.yaml"
        try Data("sources: [{name: a, kind: usgs}]\n".utf8).write(to: URL(fileURLWithPath: path))
        let settings = try SettingsReader.read(path: path, kinds: TestKinds.all, environment: [:])
        #expect(settings.sources.map(\.name) == ["a"])
        #expect(throws: SettingsErrors.self) {
            try SettingsReader.read(path: folder.path + "/none.yaml", kinds: TestKinds.all, environment: [:])
        }
        for reading in [FileReading.disk, .ordinary] {
            #expect(try reading.contents(path) == Data("sources: [{name: a, kind: usgs}]\n".utf8))
            #expect(throws: FileReadingError("Is a directory")) { try reading.contents(folder.path) }
        }
    }

    @Test func aPipeIsReadUnlessNobodyWritesToIt() throws {
        let folder = TemporaryDirectory()
        let path = folder.path + "/v.yaml"
        #expect(mkfifo(path, 0o600) == 0)
        #expect(throws: FileReadingError("it is an empty pipe, to which no program writes")) {
            try FileReading.disk.contents(path)
        }
        #expect(throws: FileReadingError("it is no ordinary file")) { try FileReading.ordinary.contents(path) }
        // A writer needs a reader.
        let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let writer = open(path, O_WRONLY | O_CLOEXEC)
        let text = Data("contact: a\n".utf8)
        DispatchQueue(label: "writer").async {
            _ = text.withUnsafeBytes { write(writer, $0.baseAddress, $0.count) }
            close(writer)
        }
        #expect(try FileReading.disk.contents(path) == text)
    }

    @Test func whatMayPassIsToldFromWhatDoesNot() {
        func failure(_ path: String) -> SettingsErrors? {
            do throws(SettingsErrors) {
                _ = try SettingsReader.read(path: path, kinds: TestKinds.all, environment: [:])
                return nil
            } catch {
                return error
            }
        }
        let folder = TemporaryDirectory()
        #expect(failure(folder.path + "/none.yaml")?.isTransient == false)
        // Nothing is mapped at the start of a process's memory, so reading it is an I/O error.
        #expect(failure("/proc/self/mem")?.isTransient == true)
    }

    @Test func aSocketPathIsBounded() {
        let long = "/" + String(repeating: "d", count: 110)
        let source = "sources: [{name: a, kind: usgs}]\n"
        #expect(faults("database: \(long)\n" + source).first?.hasPrefix("visiventd.yaml:1:1: database: ") == true)
        #expect(faults("control_socket: \(long)\n" + source).count == 1)
        #expect(faults("control_socket: /run/s\ndatabase: \(long)\n" + source).isEmpty)
    }
}
