import Foundation
import TestSupport
import Testing

@testable import Gazetteer

@Suite struct AbsentTableTests {
    @Test func aTableThatIsMissingIsToldFromOneThatMayNotBeRead() {
        let missing = CityTable.absence(of: "/srv/cities.sqlite", ENOENT)
        #expect(missing.code == .notSeeded)
        let refused = CityTable.absence(of: "/srv/cities.sqlite", EACCES)
        #expect(refused.code == .unreadable)
        #expect(
            refused.message == "the city table /srv/cities.sqlite cannot be read: Permission denied; use the service's "
                + "user, or join its group")
    }

    @Test(.enabled(if: geteuid() != 0, "root may enter every folder"))
    func aFolderThatMayNotBeEnteredIsNotTakenForAnEmptyOne() throws {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let folder = directory.path + "/state"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        #expect(chmod(folder, 0) == 0)
        defer { chmod(folder, 0o700) }
        let error = #expect(throws: GazetteerError.self) { try CityTable(path: folder + "/cities.sqlite") }
        #expect(error?.code == .unreadable)
    }
}
