public import Model
import SQLite

extension EventStore {
    /// The next events that count for the home of a source; none for an unknown source. They have no context.
    /// - Parameter limit: The most events.
    /// - Throws: `StoreError`.
    public func homeLesson(of source: String, limit: Int) throws(StoreError) -> HomeLesson {
        try maintain { connection in
            let last = try connection.firstInt64("SELECT home_until FROM source WHERE name = ?", source) ?? 0
            let find = try connection.prepare(QueueSQL.homeEvents, source, last, limit)
            return HomeLesson(
                source: source, after: EventHandle(last), events: try find.map { UnlocatedEvent(row: $0) })
        }
    }

    /// Counts the events of a lesson, each once, and stores the home, in one transaction. When the home changes, the
    /// source's unresolved events are looked up once more; located ones stay where they are.
    ///
    /// A lesson counts nothing if it is empty, or if the home was cleared, or another lesson counted, since it was read.
    /// - Parameter votes: The votes of each event (`LearnedHome.count`), in the order of the lesson.
    /// - Returns: Whether the home is another one now.
    /// - Throws: `StoreError`.
    @discardableResult
    public func learn(_ lesson: HomeLesson, votes: [[String: Double]]) throws(StoreError) -> Bool {
        guard let last = lesson.events.last else { return false }
        return try transaction { writer -> Bool in
            let connection = writer.connection
            let find = try connection.prepare(
                "SELECT home FROM source WHERE name = ? AND home_until = ?", lesson.source, lesson.after.number)
            let known = try find.first { StoredJSON.decoded(LearnedHome.self, from: $0.text(0)) ?? LearnedHome() }
            guard var home = known else { return false }
            let before = home.context
            for vote in votes { home.count(vote) }
            try connection.run(
                "UPDATE source SET home = ?, home_until = ? WHERE name = ?", StoredJSON.encoded(home),
                last.handle.number, lesson.source)
            guard home.context != before else { return false }
            try connection.run(QueueSQL.lookAgain, lesson.source)
            return true
        }
    }

    /// The homes that sources have learned, by name; sources without one are missing. Throws `StoreError`.
    public func homes() throws(StoreError) -> [String: PlaceContext] {
        try maintain { connection in
            let find = try connection.prepare("SELECT name, home FROM source WHERE home IS NOT NULL")
            return try find.dictionary {
                ($0.string(0), StoredJSON.decoded(LearnedHome.self, from: $0.text(1))?.context)
            }
            .compactMapValues { $0?.country == nil ? nil : $0 }
        }
    }
}
