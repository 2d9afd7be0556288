/// The result of a seeding that succeeded.
public struct SeedReport: Sendable, Hashable {
    /// The counts and time of one input.
    public struct Input: Sendable, Hashable {
        /// The input's name (`SeedInput.name`): the file's name, or the URL without its query.
        public var name: String
        /// The format recognised by content.
        public var format: InputFormat
        /// Rows read, without headings, comments and empty lines: the sum of kept, skipped and refused ones.
        public var rows = 0
        /// Rows that were put into the table; 1 or more, since a seeding with an unusable input fails.
        public var kept = 0
        /// Rows left out on purpose, by reason; reasons without rows are missing.
        public var skipped: [RowSkip: Int] = [:]
        /// Unusable rows, by reason, in the order of the first row of each; empty if all are usable.
        public var refused: [Refusal] = []
        /// Bytes read, as packed.
        public var wireBytes: Int64 = 0
        /// Time for reading this input.
        public var duration: Duration = .zero
    }

    /// The rows refused for one reason.
    public struct Refusal: Sendable, Hashable {
        /// The reason for all of them.
        public var fault: RowFault
        /// Number of rows, 1 or more.
        public var count: Int
        /// The first of them, in the order of the input, at most five.
        public var examples: [Example]
    }

    /// A refused row, as an example.
    public struct Example: Sendable, Hashable {
        /// Its line number in the unpacked input, from 1 on.
        public var line: Int
        /// Its text as in the file, at most 120 characters; make it safe before showing it. Empty for a line that is
        /// too long.
        public var text: String
    }

    /// The inputs, in the given order; empty for a table made with `CityTableBuilder` alone.
    public var inputs: [Input] = []
    /// Identifies the new generation: 16 hexadecimal digits.
    public var generation = ""
    /// Number of cities in it, including those carried over.
    public var cities = 0
    /// Number of other names of cities in it.
    public var alternates = 0
    /// Number of countries and divisions in it, including built-in ones and those carried over.
    public var areas = 0
    /// Number of cities carried over from the present table; 0 if none were to be kept.
    public var carriedCities = 0
    /// Size of the table's file in bytes.
    public var bytes: Int64 = 0
    /// Time from the start of reading until the file is in place; zero for a table made with `CityTableBuilder` alone.
    public var duration: Duration = .zero
    /// Why no areas were carried over from a table that is damaged or of another version, for people; nil otherwise.
    public var lostTable: String?
}

extension SeedReport.Input {
    /// Length of the longest example, in characters.
    static let longestExample = 120
    /// The most examples of a reason.
    static let maximumExamples = 5

    /// Counts a row's outcome; `text` is called only if the row becomes an example.
    mutating func count(_ outcome: RowOutcome, line: Int, text: () -> String) {
        switch outcome {
        case .ignored: return
        case .kept: kept += 1
        case .skipped(let reason): skipped[reason, default: 0] += 1
        case .refused(let fault):
            let index = refused.firstIndex { $0.fault == fault } ?? refused.count
            if index == refused.count { refused.append(SeedReport.Refusal(fault: fault, count: 0, examples: [])) }
            refused[index].count += 1
            if refused[index].examples.count < Self.maximumExamples {
                refused[index].examples.append(
                    SeedReport.Example(line: line, text: String(text().prefix(Self.longestExample))))
            }
        }
        rows += 1
    }
}

/// How far a seeding is.
public struct SeedProgress: Sendable, Hashable {
    /// A phase of a seeding; they follow each other in this order.
    public enum Phase: Sendable, Hashable {
        /// Reads the input with this index in `Seeder.formats`, from 0 on.
        case reading(Int)
        /// Carries over cities and areas of the present table; left out if nothing of it is kept.
        case carryingOver
        /// Sorts rows and creates the indexes.
        case indexing
        /// Syncs the file to the disk and puts it into place.
        case finishing
    }

    /// What the seeding does now.
    public var phase: Phase
    /// Rows of this input read so far; 0 in other phases than `reading`.
    public var rows = 0
    /// Bytes read of this input so far, as packed; 0 in other phases than `reading`.
    public var wireBytes: Int64 = 0
    /// Size of this input in bytes, as packed; nil if unknown, and in other phases than `reading`.
    public var totalBytes: Int64?
}
