public import Model
import SQLite

extension EventStore {
    /// The most events that count in one transaction.
    public static let homeBatch = 256

    /// The next events that count for the home of a source; none for an unknown source. They have no context.
    /// - Parameter limit: The most events.
    /// - Throws: `StoreError`.
    public func homeLesson(of source: String, limit: Int = EventStore.homeBatch) throws(StoreError) -> HomeLesson {
        try maintain { connection in
            let state = try connection.prepare("SELECT home_until FROM source WHERE name = ?")
            state.bind(source)
            var lesson = HomeLesson(source: source, after: EventHandle(try state.firstInt64() ?? 0), events: [])
            let find = try connection.prepare(QueueSQL.homeEvents)
            find.bind(source)
            find.bind(lesson.after.number)
            find.bind(limit)
            while try find.step() { lesson.events.append(UnlocatedEvent(row: find)) }
            return lesson
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
    public func learn(_ lesson: HomeLesson, votes: [[String]]) throws(StoreError) -> Bool {
        guard let last = lesson.events.last else { return false }
        return try transaction { writer -> Bool in
            let connection = writer.connection
            let find = try connection.prepare("SELECT home FROM source WHERE name = ? AND home_until = ?")
            find.bind(lesson.source)
            find.bind(lesson.after.number)
            guard try find.step() else { return false }
            var home = StoredJSON.decoded(LearnedHome.self, from: find.text(0)) ?? LearnedHome()
            find.reset()
            let before = home.context
            for vote in votes { home.count(vote) }
            let update = try connection.prepare("UPDATE source SET home = ?, home_until = ? WHERE name = ?")
            update.bind(try StoredJSON.encoded(home))
            update.bind(last.handle.number)
            update.bind(lesson.source)
            try update.run()
            guard home.context != before else { return false }
            try connection.run(QueueSQL.lookAgain, lesson.source)
            return true
        }
    }

    /// The homes that sources have learned, by name; sources without one are missing. Throws `StoreError`.
    public func homes() throws(StoreError) -> [String: PlaceContext] {
        try maintain { connection in
            let find = try connection.prepare("SELECT name, home FROM source WHERE home IS NOT NULL")
            var homes: [String: PlaceContext] = [:]
            while try find.step() {
                let home = StoredJSON.decoded(LearnedHome.self, from: find.text(1))?.context ?? PlaceContext()
                if home.country != nil { homes[find.string(0)] = home }
            }
            return homes
        }
    }
}
