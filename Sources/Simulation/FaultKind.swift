/// A kind of fault that a simulated month contains; the raw value is for people.
package enum FaultKind: String, CaseIterable, Codable, Sendable {
    // The network and servers.
    case timeout = "time-outs"
    case nameNotFound = "names not found"
    case reset = "connection resets"
    case lostConnection = "kept connections lost"
    case serverError = "status 500"
    case unavailable = "status 503"
    case tooManyRequests = "status 429 with Retry-After"
    case gone = "status 410"
    case notFound = "documents not there (404)"
    case cutShort = "answers cut short"
    case truncated = "truncated bodies"
    case wrongType = "pages of another type"
    case garbage = "JSON that says nothing"
    case moved = "redirects for good (301)"
    case found = "redirects for now (302)"
    case badItem = "bad items in good bodies"
    case olderBody = "older bodies (caches)"
    case hollow = "snapshots with half of the events missing"
    case miscounted = "snapshots that call themselves incomplete"
    case rateLimit = "rate limits in headers"
    case sinceTooOld = "since_id refused as too old"
    case noDate = "answers without Date"
    case wrongDate = "answers with a wrong Date"
    // Streams.
    case streamRefused = "streams that are refused"
    case streamBreak = "streams that break in mid-line"
    case streamSilence = "streams that fall silent"
    case streamEnd = "streams that their server ends"
    case streamBadLine = "bad lines of streams"
    case streamRepeat = "messages that a stream repeats"
    case streamDeath = "deaths with messages of a stream in hand"
    case streamDisk = "batches of a stream that the disk refuses"
    case streamEdit = "edits of a stream with messages in hand"
    // What providers do to their events.
    case idChange = "changed ids"
    case merge = "merges"
    case split = "splits"
    case vanishing = "vanished events"
    case returning = "returned events"
    case deletion = "deletions"
    case cancellation = "cancellations"
    case erasure = "erasures"
    // The clock and the machine.
    case clockForward = "clock steps forward"
    case clockBack = "clock steps back"
    case suspend = "suspends"
    case gracefulRestart = "restarts"
    case restartInPoll = "orderly stops in mid-poll"
    case kill = "kills in mid-poll"
    case powerLoss = "losses of power"
    case ioError = "I/O errors"
    case diskFull = "full disks"
    case locked = "locked databases"
    // The operator.
    case filterChange = "changed filters"
    case maxAgeChange = "changed max_age"
    case intervalChange = "changed intervals"
    case topicsChange = "changed topics"
    case sourceRemoved = "removed sources"
    case sourceAdded = "added sources"
    case sourceRenamed = "renamed sources"
    case reload = "reloads"
    case reloadFailed = "reloads that the disk refuses"
    case commandPoll = "polls by command"
    case stateReset = "resets"
    case eventsReset = "resets with events"
    case commandRefused = "commands that are nonsense"
    case statusRead = "status beside the daemon"
    case backup = "backups"
    case backupFailed = "backups that fail"
    case migration = "migrations"
    case migrationFailed = "migrations that fail"
    // Those who follow the changes.
    case cursorTooOld = "cursors that are too old"
    // The geocoding service.
    case serviceOutage = "geocoder outages"
    case serviceLimit = "geocoder status 429"
    case serviceMiss = "places the geocoder does not know"

    /// Whether it takes a disk that fails on demand.
    package var needsDisk: Bool {
        switch self {
        case .powerLoss, .ioError, .diskFull, .locked, .reloadFailed, .streamDisk, .migrationFailed: true
        default: false
        }
    }
}
