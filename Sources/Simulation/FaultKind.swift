/// A kind of fault or operator's action in a simulated month; `SimulationSummary.faults` counts them. The raw value is
/// its name in traces and summaries.
package enum FaultKind: String, CaseIterable, Codable, Sendable {
    // The network and servers.
    /// A request fails after 60 s with code `timeout`.
    case timeout = "time-outs"
    /// A request fails after 5 s with code `name_not_found`.
    case nameNotFound = "names not found"
    /// A request fails after 2 s with code `reset`.
    case reset = "connection resets"
    /// A request fails with code `connection_lost`; the next attempt often succeeds.
    case lostConnection = "kept connections lost"
    /// A request is answered 500.
    case serverError = "status 500"
    /// A request is answered 503, half of the time with `Retry-After` of 30 s to 20000 s.
    case unavailable = "status 503"
    /// A request is answered 429 with `Retry-After` of 30 s to 20000 s.
    case tooManyRequests = "status 429 with Retry-After"
    /// A request is answered 410.
    case gone = "status 410"
    /// A CAP document that the index names is answered 404.
    case notFound = "documents not there (404)"
    /// A request fails after 3 s with code `cut_short`; a billed answer is billed.
    case cutShort = "answers cut short"
    /// The body ends in its middle but the transfer does not fail; for RSS it does, with code `cut_short`.
    case truncated = "truncated bodies"
    /// The body is a web page that asks for cookies.
    case wrongType = "pages of another type"
    /// The body is valid JSON without a feed in it.
    case garbage = "JSON that says nothing"
    /// A request is redirected by 301 to a host that serves the same.
    case moved = "redirects for good (301)"
    /// A request is redirected by 302 to a host that serves the same.
    case found = "redirects for now (302)"
    /// A body has one item without an id among good ones.
    case badItem = "bad items in good bodies"
    /// A summary feed is answered with one of its last six bodies.
    case olderBody = "older bodies (caches)"
    /// A summary feed lacks half of its events without saying so; never in two polls in a row.
    case hollow = "snapshots with half of the events missing"
    /// A summary feed claims one feature more than it has.
    case miscounted = "snapshots that call themselves incomplete"
    /// Headers of a good answer say that no request is left for the next 10000 s.
    case rateLimit = "rate limits in headers"
    /// A search is answered 400 because its `since_id` is more than a week old.
    case sinceTooOld = "since_id refused as too old"
    /// An answer has no Date header.
    case noDate = "answers without Date"
    /// The Date header of an answer is 5 h ahead or 2 h behind.
    case wrongDate = "answers with a wrong Date"
    // Streams.
    /// The request for a stream is answered 429 or 503.
    case streamRefused = "streams that are refused"
    /// A stream fails with code `reset` in the middle of a line.
    case streamBreak = "streams that break in mid-line"
    /// A stream sends nothing for 25 s and fails with code `stalled`.
    case streamSilence = "streams that fall silent"
    /// A server ends a stream in order after a closing message.
    case streamEnd = "streams that their server ends"
    /// A line of a stream is cut, or belongs to a rule of somebody else.
    case streamBadLine = "bad lines of streams"
    /// A new connection sends messages that an earlier one has sent.
    case streamRepeat = "messages that a stream repeats"
    /// The process or the machine dies while lines of a stream are not stored yet.
    case streamDeath = "deaths with messages of a stream in hand"
    /// The disk refuses the batch of a stream for 30 s to 300 s.
    case streamDisk = "batches of a stream that the disk refuses"
    /// The query of a stream is changed by a reload while lines of it are not stored yet.
    case streamEdit = "edits of a stream with messages in hand"
    // Changes of events by providers.
    /// A provider gives an event another preferred id.
    case idChange = "changed ids"
    /// A provider unites two events that it told apart before.
    case merge = "merges"
    /// A snapshot lists as separate events what was one event before; counted once for each event that needs a new row.
    case split = "splits"
    /// A snapshot lacks an event which must be there; it is withdrawn as absent.
    case vanishing = "vanished events"
    /// An event withdrawn as absent is in a snapshot again.
    case returning = "returned events"
    /// A provider says that it has deleted an event.
    case deletion = "deletions"
    /// A provider cancels an event, such as a CAP alert.
    case cancellation = "cancellations"
    /// A provider has deleted an event whose text must be erased, such as a message.
    case erasure = "erasures"
    // The clock and the machine.
    /// The wall clock steps forward by 1 min to 46 days; some hours later it steps back.
    case clockForward = "clock steps forward"
    /// The wall clock steps back by 1 min to 46 days; some hours later it steps forward.
    case clockBack = "clock steps back"
    /// The machine sleeps for 30 min to 39 h; requests under way fail.
    case suspend = "suspends"
    /// The daemon stops in an orderly way and starts again.
    case gracefulRestart = "restarts"
    /// The daemon stops in an orderly way while a request is under way, and starts again.
    case restartInPoll = "orderly stops in mid-poll"
    /// The process dies after some effect or during a write; everything written survives.
    case kill = "kills in mid-poll"
    /// The machine dies after some effect or during a write; what was not synced may be lost.
    case powerLoss = "losses of power"
    /// Writes or syncs fail with SQLITE_IOERR for 1 min to 2 h.
    case ioError = "I/O errors"
    /// Writes fail with SQLITE_FULL for 1 min to 2 h.
    case diskFull = "full disks"
    /// Locks fail with SQLITE_BUSY for 1 min to 2 h.
    case locked = "locked databases"
    // The operator.
    /// The filter of a source is changed, by a restart, a reload or an edit.
    case filterChange = "changed filters"
    /// `max_age` of a source is changed, by a restart, a reload or an edit.
    case maxAgeChange = "changed max_age"
    /// The refresh interval of a source is changed, by a restart, a reload or an edit.
    case intervalChange = "changed intervals"
    /// The topics of a source are changed, by a restart, a reload or an edit.
    case topicsChange = "changed topics"
    /// A source is removed, by a restart, a reload or an edit; at least five stay.
    case sourceRemoved = "removed sources"
    /// A removed source is configured again, 0.2 to 3 days later.
    case sourceAdded = "added sources"
    /// A source is renamed, by a restart, a reload or an edit.
    case sourceRenamed = "renamed sources"
    /// A changed configuration is in force without a restart.
    case reload = "reloads"
    /// The disk refuses the write of a reload; the engine tries again.
    case reloadFailed = "reloads that the disk refuses"
    /// A changed file is in force without a command.
    case editReload = "edits that take effect by themselves"
    /// The file has a fault for 1 min to 5.6 h; the configuration in force stays.
    case reloadRefused = "configurations with faults"
    /// There is no file for 1 min to 5.6 h; the configuration in force stays.
    case fileGone = "configuration files that are gone"
    /// A secret cannot be read for 1 s to 5000 s; a reload waits for it, but not for long.
    case secretUnread = "secrets that cannot be read"
    /// The process dies between two steps of a reload.
    case reloadDeath = "deaths in mid-reload"
    /// A client of the control socket asks for a poll.
    case commandPoll = "polls by command"
    /// A client resets the state of a source.
    case stateReset = "resets"
    /// A client resets a source with its events.
    case eventsReset = "resets with events"
    /// A client sends lines that are no requests; they must change nothing.
    case commandRefused = "commands that are nonsense"
    /// A second process reads the sources while the daemon runs.
    case statusRead = "status beside the daemon"
    /// A backup that equals the database.
    case backup = "backups"
    /// A backup that the disk refuses; the last good one must be unchanged.
    case backupFailed = "backups that fail"
    /// The daemon starts on a database of the previous schema version, copies and migrates it.
    case migration = "migrations"
    /// A start whose copy or migration the disk refuses; the next one tries again.
    case migrationFailed = "migrations that fail"
    // Followers of the changes.
    /// A follower of the changes comes back after its cursor has been truncated.
    case cursorTooOld = "cursors that are too old"
    // Targets of messages.
    /// A target takes a message and does not answer for 20 s.
    case targetHang = "targets that do not answer"
    /// A target answers 429 with `Retry-After` of 30 s to 7000 s.
    case targetPause = "targets that ask for a pause (429)"
    /// A target takes a message, and the connection breaks before its answer.
    case targetLoss = "answers of targets that are lost"
    /// A target answers 410 from the third part of the month on.
    case targetGone = "targets that go for good (410)"
    // The geocoding service.
    /// A question fails after 20 s with code `timeout`.
    case serviceOutage = "geocoder outages"
    /// A question is answered 429.
    case serviceLimit = "geocoder status 429"
    /// The service answers that it does not know the place.
    case serviceMiss = "places the geocoder does not know"
}
