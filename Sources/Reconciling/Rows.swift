package import Model

/// What is asked of the record while an answer is worked through, always where it decides and before anything is written
/// because of it. Times are in milliseconds since 1970.
package protocol Rows {
    /// What the transaction has added for the source.
    var grown: StoredAmount { get }
    /// The row of a name; nil: it leads to none.
    func row(named name: String, of provider: String) throws -> Int64?
    /// The rows of the names that begin with this one and a space.
    func rows(ofFamily name: String, of provider: String) throws -> [Int64]
    /// The row with an id; nil: there is none.
    func load(_ id: Int64) throws -> EventRow?
    /// The name that a row shows, and the provider's time of the version.
    func version(of id: Int64) throws -> (name: String, updated: Int64?)
    /// All names of a row.
    func names(of id: Int64) throws -> [String]
    /// The sources that show a row.
    func sources(of id: Int64) throws -> [Int64]
    /// How the sources that cover the provider show a row.
    func links(of id: Int64, by provider: String) throws -> [Absence.Link]
    /// Gives the rows whose time is in the window and that the source promises, with the time since when it misses them.
    func eachPromised(from: Int64, to: Int64, _ body: (_ id: Int64, _ missingSince: Int64?) -> Void) throws
    /// The correction of an event's place; `isGone`: of one that was removed.
    func correction(of publicID: String, isGone: Bool) throws -> Correction?
    /// The withdrawal that is kept under a name.
    func withdrawal(of name: String, by provider: String) throws -> StoredWithdrawal?
    /// When the tombstone of a name noted last that its event is listed; nil: there is none.
    func tombstone(of name: String, by provider: String) throws -> Int64?
}
