import Settings
import Testing

@testable import Daemon

/// The settings of an edited configuration that take effect at once.
@Suite struct SettingsInUseTests {
    @Test func theCityTableStaysBesideTheDatabaseThatIsInUse() {
        let old = Settings(database: "/var/lib/old/events.sqlite", sources: [])
        let moved = Settings(database: "/srv/new/events.sqlite", sources: [])
        #expect(moved.changes(since: old).atOnce.isEmpty)
        #expect(moved.changes(since: old).afterRestart == ["database"])
        #expect(moved.keepingFixed(of: old).gazetteer.path == "/var/lib/old/cities.sqlite")
    }

    @Test func anotherLeastConfidenceOfPlacesIsUsedAtOnce() {
        let old = Settings(database: "/var/lib/old/events.sqlite", sources: [])
        var sure = Settings(database: "/srv/new/events.sqlite", sources: [])
        sure.gazetteer.leastConfidence = 0.8
        #expect(sure.changes(since: old).atOnce == ["gazetteer"])
        let kept = sure.keepingFixed(of: old).gazetteer
        #expect(kept.path == "/var/lib/old/cities.sqlite" && kept.leastConfidence == 0.8)
    }

    @Test func aCityTableThatIsNamedIsUsedAtOnce() {
        let old = Settings(database: "/var/lib/old/events.sqlite", sources: [])
        let table = GazetteerSettings(path: "/srv/cities.sqlite")
        var named = Settings(database: "/srv/new/events.sqlite", sources: [])
        named.gazetteer = table
        #expect(named.changes(since: old).atOnce == ["gazetteer"])
        #expect(named.keepingFixed(of: old).gazetteer == table)
    }
}
