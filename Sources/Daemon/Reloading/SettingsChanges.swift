import Settings

/// Names of settings, apart from the sources, and of secrets that differ between two configurations.
struct SettingsChanges: Sendable, Hashable {
    /// Settings that take effect at once.
    var atOnce: [String] = []
    /// Settings that take effect only after a restart.
    var afterRestart: [String] = []
    /// Sources and services that lack secrets, others than before, each with the reasons: `NAME (REASON, REASON)`.
    var missingSecrets: [String] = []
    /// Sources and services that lack no secret any more.
    var foundSecrets: [String] = []
    /// What other ages of events mean for what is stored, in sentences.
    var ages: [String] = []
}

extension Settings {
    /// The differences from older settings.
    func changes(since old: Settings) -> SettingsChanges {
        let atOnce = [
            ("contact", contact != old.contact), ("deliver", deliver != old.deliver), ("disk", disk != old.disk),
            ("fetch", fetch != old.fetch), ("gazetteer", keepingFixed(of: old).gazetteer != old.gazetteer),
            ("geocoding", geocoding != old.geocoding), ("log.level", log.level != old.log.level),
            ("truncation", truncation != old.truncation), ("watches", watches != old.watches),
        ]
        let afterRestart = [
            ("control_socket", controlSocket != old.controlSocket), ("database", database != old.database),
            ("full_text", hasFullText != old.hasFullText), ("log.format", log.format != old.log.format),
            ("pictures", pictures != old.pictures), ("reload_on_edit", reloadsOnEdit != old.reloadsOnEdit),
        ]
        return SettingsChanges(
            atOnce: atOnce.filter(\.1).map(\.0), afterRestart: afterRestart.filter(\.1).map(\.0))
    }

    /// These settings, with those of `old` that only a restart can change.
    func keepingFixed(of old: Settings) -> Settings {
        var settings = self
        settings.controlSocket = old.controlSocket
        settings.database = old.database
        // Without a path of its own, the city table is beside the database in use.
        if gazetteer.isBesideDatabase, old.gazetteer.isBesideDatabase { settings.gazetteer.path = old.gazetteer.path }
        settings.hasFullText = old.hasFullText
        settings.log.format = old.log.format
        settings.pictures = old.pictures
        settings.reloadsOnEdit = old.reloadsOnEdit
        return settings
    }
}
