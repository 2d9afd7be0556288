import Foundation
import Model
import SQLite

extension CommittedStep {
    /// Reads all but the changes from a row of `columns`.
    private init(row: Statement) {
        var times: ClosedRange<Date>?
        if let from = row.date(4), let to = row.date(5), from <= to { times = from...to }
        let window = row.text(2).map { source in
            Window(
                source: source, provider: row.text(3), times: times, generated: row.date(6),
                isComplete: row.int64(7) != 0)
        }
        self.init(number: row.int64(0), at: Date(milliseconds: row.int64(1)), window: window)
    }

    /// The next steps after a cursor, which is the number of a step and no older than the log.
    /// - Parameter changes: The most changes, unless the first step has more: a step comes as a whole.
    static func next(after cursor: Int64, atMost changes: Int, _ connection: Connection) throws -> [CommittedStep] {
        let find = try connection.prepare(
            """
            SELECT t.seq, t.at_ms, s.name, t.provider, t.from_ms, t.to_ms, t.generated_ms, t.is_complete
            FROM step t LEFT JOIN source s ON s.id = t.source_id WHERE t.seq > ? ORDER BY t.seq
            """, cursor)
        var steps: [CommittedStep] = []
        while try find.step() {
            let step = CommittedStep(row: find)
            if !steps.isEmpty, step.number - cursor > changes { break }
            steps.append(step)
        }
        find.reset()
        guard let last = steps.last else { return [] }
        let page = try ChangeFeed.page(after: cursor, limit: Int(clamping: last.number - cursor), connection)
        var left = try ChangeFeed.steps(page.changes[...], connection)[...]
        for index in steps.indices {
            let own = left.prefix { $0.change.sequence <= steps[index].number }
            steps[index].changes = Array(own)
            left = left.dropFirst(own.count)
        }
        return steps
    }
}
