/// The result of a seeding.
public struct SeedReport: Sendable, Hashable {
    /// The counts of one input.
    public struct Input: Sendable, Hashable {
        /// The file or URL as named by the operator.
        public var name: String
        /// The recognised format.
        public var format: InputFormat
        /// Rows read, without headings, comments and empty lines: the sum of kept, skipped and refused ones.
        public var rows = 0
        /// Rows that were put into the table.
        public var kept = 0
        /// Rows left out on purpose, by reason.
        public var skipped: [RowSkip: Int] = [:]
        /// Unusable rows, by reason.
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
        /// Number of rows.
        public var count: Int
        /// The first of them, at most five.
        public var examples: [Example]
    }

    /// A refused row, as an example.
    public struct Example: Sendable, Hashable {
        /// Line number, from 1 on.
        public var line: Int
        /// Its text as in the file, at most 120 characters; make it safe before showing it.
        public var text: String
    }

    /// The inputs, in the given order.
    public var inputs: [Input] = []
    /// The new generation: 16 hexadecimal digits.
    public var generation = ""
    /// Cities in it, including those carried over.
    public var cities = 0
    /// Other names of cities in it.
    public var alternates = 0
    /// Countries and divisions in it.
    public var areas = 0
    /// Cities carried over from the present table.
    public var carriedCities = 0
    /// Size of the file in bytes.
    public var bytes: Int64 = 0
    /// Time from the start of reading until the file is in place.
    public var duration: Duration = .zero
    /// Why nothing was carried over from a table that is damaged or of another version; nil otherwise.
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

/// The progress of a seeding.
public struct SeedProgress: Sendable, Hashable {
    /// A phase of a seeding.
    public enum Phase: Sendable, Hashable {
        /// Reads the input with this index, from 0 on.
        case reading(Int)
        /// Carries over cities and areas of the present table.
        case carryingOver
        /// Sorts rows and creates the indexes.
        case indexing
        /// Syncs the file to the disk and puts it into place.
        case finishing
    }

    /// The present phase.
    public var phase: Phase
    /// Rows of this input read so far.
    public var rows = 0
    /// Bytes read of this input so far, as packed.
    public var wireBytes: Int64 = 0
    /// Size of this input in bytes, as packed; nil if unknown.
    public var totalBytes: Int64?
}
