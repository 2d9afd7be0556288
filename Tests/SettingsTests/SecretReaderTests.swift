import Foundation
import Model
import Settings
import TestSupport
import Testing

@Suite struct SecretReaderTests {
    private static let files: [String: Data] = [
        "/run/credentials/visiventd/twitter": Data("from systemd\n".utf8),
        "/etc/token": Data("from a file\r\n".utf8),
        "/etc/empty": Data("\n".utf8),
        "/etc/two": Data("hunter2\nhunter2\n".utf8),
        "/etc/binary": Data([0xFF, 0xFE]),
    ]

    private func reader(credentials: String? = "/run/credentials/visiventd") -> SecretReader {
        var environment = ["TOKEN": "from the environment"]
        environment["CREDENTIALS_DIRECTORY"] = credentials
        return SecretReader(
            environment: environment,
            files: FileReading { path in
                guard let content = Self.files[path] else { throw FileReadingError("No such file or directory") }
                return content
            })
    }

    @Test(arguments: [
        ("credential:twitter", "from systemd"), ("/etc/token", "from a file"), ("env:TOKEN", "from the environment"),
    ])
    func places(reference: String, value: String) throws {
        #expect(try reader().read(reference) == Secret(value))
    }

    @Test(arguments: [
        ("/etc/none", "/etc/none cannot be read: No such file or directory"),
        ("/etc/empty", "/etc/empty cannot be used: it is empty"),
        ("/etc/two", "/etc/two cannot be used: it holds more than one line, or control characters"),
        ("/etc/binary", "/etc/binary cannot be used: it is not UTF-8"),
        ("env:NONE", "the environment variable NONE is not set"),
        ("credential:none", "/run/credentials/visiventd/none cannot be read: No such file or directory"),
        (
            "credential:../etc/two",
            "the place of a secret is not understood; "
                + "accepted: the path of a file, credential:NAME or env:NAME"
        ),
    ])
    func refusals(reference: String, message: String) {
        #expect(throws: Failure(.operator, .secret, message)) { try reader().read(reference) }
    }

    @Test func whatMayPassIsNobodysSettingsFault() {
        let reader = SecretReader(environment: [:])
        #expect(throws: Failure(.ours, .secret, "/proc/self/mem cannot be read: Input/output error")) {
            try reader.read("/proc/self/mem")
        }
    }

    @Test func whatCouldKeepAReaderWaitingIsRefused() {
        let folder = TemporaryDirectory()
        defer { withExtendedLifetime(folder) {} }
        let pipe = folder.path + "/token"
        #expect(mkfifo(pipe, 0o600) == 0)
        let reader = SecretReader(environment: ["CREDENTIALS_DIRECTORY": folder.path])
        for (reference, place) in [(pipe, pipe), ("credential:token", pipe), ("/dev/zero", "/dev/zero")] {
            #expect(throws: Failure(.operator, .secret, "\(place) cannot be read: it is no ordinary file")) {
                try reader.read(reference)
            }
        }
    }

    @Test(
        arguments: [
            (0o644, "0644"), (0o640, "0640"), (0o604, "0604"), (0o444, "0444"), (0o600, nil), (0o400, nil),
            (0o711, nil),
        ] as [(mode_t, String?)])
    func aFileThatOthersCanReadIsNamed(mode: mode_t, shown: String?) throws {
        let folder = TemporaryDirectory()
        defer { withExtendedLifetime(folder) {} }
        let path = folder.path + "/token"
        try Data("x\n".utf8).write(to: URL(fileURLWithPath: path))
        // Of root's own user nothing would be told.
        let owner = max(1, geteuid())
        #expect(chown(path, owner, getegid()) == 0 && chmod(path, mode) == 0)
        let words = shown.map { "\(path) can be read by others than its owner (mode \($0)): " }
        let found = SecretReader(environment: ["TOKEN": "x"], user: owner).exposure(of: path)
        #expect(found?.hasPrefix(words ?? "-") ?? (words == nil), "\(found ?? "nil")")
        // Who is not the owner reads it as a member of its group, which is as it should be.
        for user in [owner + 1, 0] {
            let isTold = SecretReader(environment: [:], user: user).exposure(of: path) != nil
            #expect(isTold == (mode & 0o004 != 0), "\(user)")
        }
        // Systemd keeps credentials of any mode in a folder that only the service can enter.
        let service = SecretReader(environment: ["CREDENTIALS_DIRECTORY": folder.path])
        for reference in ["credential:token", path, "env:TOKEN", folder.path + "/none", ""] {
            #expect(service.exposure(of: reference) == nil, "\(reference)")
        }
    }

    @Test func withoutSystemdACredentialIsMissing() throws {
        let failure = #expect(throws: Failure.self) { try reader(credentials: nil).read("credential:twitter") }
        #expect(failure?.message.contains("LoadCredential=twitter:PATH") == true)
    }
}
