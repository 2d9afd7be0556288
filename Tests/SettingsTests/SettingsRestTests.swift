import Foundation
import Settings
import Testing

/// What can be read of a configuration with faults.
@Suite struct SettingsRestTests {
    private func rest(_ text: String, environment: [String: String] = [:]) -> Settings? {
        SettingsReader.rest(
            path: "/etc/visiventd/visiventd.yaml", environment: environment,
            files: FileReading { _ in Data(text.utf8) })
    }

    private static let paths = """
        # where
        database: "/srv/v/events.sqlite"   # ours
        control_socket: run/c.sock
        disk:
          # little
          minimum_free: 1MiB

        """

    @Test(arguments: [
        "sources:\n  - {name: a, kind: nonsense}\n",  // a wrong value
        "sources:\n  - name: a\n kind: usgs\n",  // no YAML
        "sources:\n\t- {name: a}\n", "contact: @me\n", "log: {level: [\n",
    ])
    func theDatabaseIsKnownWhateverIsWrongElsewhere(wrong: String) {
        for text in [Self.paths + wrong, wrong + Self.paths] {
            let rest = rest(text)
            #expect(rest?.database == "/srv/v/events.sqlite", "\(text)")
            #expect(rest?.controlSocket == "/etc/visiventd/run/c.sock")
            #expect(rest?.disk.minimumFreeBytes == 1 << 20)
            #expect(rest?.sources == [])
        }
    }

    @Test func defaultsHoldWhereTheFileIsYAML() {
        let wrong = "sources:\n  - {name: a, kind: nonsense}\n"
        #expect(rest(wrong)?.database == "/etc/visiventd/visiventd.sqlite")
        #expect(rest(wrong)?.controlSocket == "/etc/visiventd/visiventd.sqlite.sock")
        let folders = ["STATE_DIRECTORY": "/var/lib/v:/x", "RUNTIME_DIRECTORY": "/run/v"]
        #expect(rest(wrong, environment: folders)?.database == "/var/lib/v/visiventd.sqlite")
        #expect(rest(wrong, environment: folders)?.controlSocket == "/run/v/control.sock")
    }

    @Test(arguments: ["database: [a]\nsources: []\n", "sources:\n\t- {name: a}\n", "database: ~/v\n\t-\n"])
    func aDatabaseThatIsNotSaidIsNotGuessed(text: String) { #expect(rest(text) == nil) }

    @Test func aFileThatCannotBeReadSaysNothing() {
        let files = FileReading { _ in throw FileReadingError("Permission denied") }
        #expect(SettingsReader.rest(path: "/v.yaml", environment: [:], files: files) == nil)
    }
}
