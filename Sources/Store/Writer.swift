import Foundation
import Model
import SQLite
import Telling

/// The writing connection with its compiled statements and change counter, for that connection's queue only.
final class Writer {
    /// The connection, for statements that are not kept here.
    let connection: Connection
    let statements: IngestionStatements
    /// Whether the full-text index is turned on.
    private(set) var keepsFullText = true
    /// Whether places are corrected.
    var hasCorrections = false
    /// The transaction's changes, in their order.
    var appended: [EventChange] = []
    /// The number of the last change whose step has ended.
    private var lastStep: Int64 = 0
    /// The number of the last change, reserved ones included.
    private(set) var lastChange: Int64 = 0
    /// What the transaction has added to the use of each source, by its id, or taken from it, and not stored yet.
    private(set) var grown: [Int64: StoredAmount] = [:]

    init(_ connection: Connection) throws {
        let connection = Connection(handle: connection.handle, pool: StatementPool())
        self.connection = connection
        statements = try IngestionStatements(connection)
    }

    /// Starts a transaction; reads the counters again, since the last transaction may have been rolled back.
    func begin() throws {
        lastChange = try EventStore.lastChange(connection)
        lastStep = lastChange
        appended = []
        grown = [:]
        hasCorrections = try connection.firstInt64("SELECT EXISTS (SELECT 1 FROM place_correction)") == 1
        keepsFullText = try connection.keepsFullText()
    }

    /// Reserves the number of the next change. Changes are appended in the order of their numbers.
    func nextChange() -> Int64 {
        lastChange += 1
        return lastChange
    }

    /// Appends a visible change and returns its number.
    /// - Parameter number: The number that was reserved for it; nil: the next one.
    @discardableResult
    func appendChange(
        _ kind: EventChange.Kind, of publicID: String, at: Int64, as number: Int64? = nil
    ) throws -> Int64 {
        let number = number ?? nextChange()
        let statement = statements.insertChange
        statement.bind(number)
        statement.bind(publicID)
        statement.bind(kind.rawValue)
        statement.bind(at)
        try statement.run()
        appended.append(EventChange(sequence: number, kind: kind, publicID: publicID, at: Date(milliseconds: at)))
        return number
    }

    /// Notes that the last change is no news; without one nothing is written.
    func silence(as reason: Passed) throws {
        guard let last = appended.last else { return }
        try connection.run("INSERT OR REPLACE INTO silent_change VALUES (?, ?)", last.sequence, reason.rawValue)
    }

    /// Ends a step: the changes since the last one get a row with what was observed; without changes nothing is written.
    /// - Parameters:
    ///   - source: The source that was polled; nil: none.
    ///   - coverage: What absence from the answer proves; nil: nothing.
    ///   - isComplete: Whether the document came whole, and none of its events waits.
    func endStep(of source: Int64? = nil, observing coverage: Coverage? = nil, isComplete: Bool = true) throws {
        guard let last = appended.last, last.sequence > lastStep else { return }
        lastStep = last.sequence
        try connection.run(
            "INSERT INTO step VALUES (?, ?, ?, ?, ?, ?, ?, ?)", last.sequence, source, coverage?.provider,
            coverage?.window?.lowerBound.milliseconds, coverage?.window?.upperBound.milliseconds,
            coverage?.generated.milliseconds, isComplete, last.at.milliseconds)
    }

    /// The wall time from which a retention period counts. Under an untrusted clock it is at least the last trusted
    /// time; otherwise the row would look old once the clock is right.
    func stamp(_ now: Int64, isClockTrusted: Bool) throws -> Int64 {
        guard !isClockTrusted else { return now }
        return max(now, try connection.value(of: Meta.lastTrustedTime)?.milliseconds ?? now)
    }

    /// Counts rows of a source that were added, or removed if the amount is negative.
    func count(_ amount: StoredAmount, for source: Int64) { grown[source, default: StoredAmount()] += amount }

    /// Runs a deletion that returns the source, the rows and the bytes of what it removes, for each source that has any;
    /// returns their sum.
    @discardableResult
    func uncount(_ deletion: Statement) throws -> StoredAmount {
        var sum = StoredAmount()
        while try deletion.step() {
            let amount = StoredAmount(rows: Int(deletion.int64(1)), bytes: Int(deletion.int64(2)))
            sum += amount
            if let source = deletion.optionalInt64(0) { count(-amount, for: source) }
        }
        return sum
    }

    /// Stores what has been counted; the transaction does so at its end.
    func storeUse() throws {
        guard !grown.isEmpty else { return }
        for (source, amount) in grown.sorted(by: { $0.key < $1.key }) where amount != StoredAmount() {
            try connection.run(
                """
                INSERT INTO source_use (source_id, rows, bytes) VALUES (?1, ?2, ?3)
                ON CONFLICT (source_id) DO UPDATE SET rows = rows + excluded.rows, bytes = bytes + excluded.bytes
                """, source, amount.rows, amount.bytes)
        }
        grown = [:]
    }
}
