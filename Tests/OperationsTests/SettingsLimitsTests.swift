import Engine
import Fetching
import Operations
import Settings
import Testing

/// Limits of engine and fetcher as derived from settings.
@Suite struct SettingsLimitsTests {
    @Test func defaultsOfTheConfigurationAreThoseOfTheLimits() {
        let settings = Settings(database: "events.sqlite", sources: [])
        #expect(settings.fetchLimits == .unconfigured)
        #expect(settings.fetchLimits.userAgent == "visiventd/\(Version.current)")
        var limits = settings.engineLimits
        #expect(limits.minimumFreeBytes == 256 << 20)
        limits.minimumFreeBytes = 0
        #expect(limits == EngineLimits())
        #expect(settings.truncationPlan == TruncationPlan())
    }

    @Test func theUserAgentNamesWhomToReach() {
        var settings = Settings(database: "events.sqlite", sources: [])
        settings.contact = "you@example.org"
        #expect(settings.fetchLimits.userAgent == "visiventd/\(Version.current) (+you@example.org)")
    }
}
