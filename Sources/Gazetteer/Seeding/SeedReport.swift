/// What a seeding has done.
public struct SeedReport: Sendable, Hashable {
    /// What became of one input's rows.
    public struct Input: Sendable, Hashable {
        /// The file or URL as the operator named it.
        public var name: String
        /// What it was recognised as.
        public var format: InputFormat
        /// Rows read, without headings, comments and empty lines: those kept, skipped and refused.
        public var rows = 0
        /// Rows that are in the table.
        public var kept = 0
        /// Rows left out on purpose, by reason.
        public var skipped: [RowSkip: Int] = [:]
        /// Rows that could not be used.
        public var refused: [Refusal] = []
        /// Bytes read, as packed.
        public var wireBytes: Int64 = 0
        /// How long reading took.
        public var duration: Duration = .zero
    }

    /// Rows that were refused for one reason.
    public struct Refusal: Sendable, Hashable {
        /// The reason.
        public var fault: RowFault
        /// How many rows.
        public var count: Int
        /// The first of them, at most five.
        public var examples: [Example]
    }

    /// A refused row.
    public struct Example: Sendable, Hashable {
        /// Number of its line, counted from 1.
        public var line: Int
        /// Its text, at most 120 characters; as it stands in the file, so to be made safe before it is shown.
        public var text: String
    }

    /// The inputs in their order.
    public var inputs: [Input] = []
    /// Name of the new generation.
    public var generation = ""
    /// Cities in it, those carried over included.
    public var cities = 0
    /// Other names of cities in it.
    public var alternates = 0
    /// Countries and divisions in it.
    public var areas = 0
    /// Cities that come from the generation before.
    public var carriedCities = 0
    /// Size of the file in bytes.
    public var bytes: Int64 = 0
    /// From the first row to the file in its place.
    public var duration: Duration = .zero
    /// Why nothing could be carried over from the table before, when that one is damaged or of another version.
    public var lostTable: String?
}

extension SeedReport.Input {
    /// Longest text of an example, in characters.
    static let longestExample = 120
    /// Most examples of a reason.
    static let maximumExamples = 5

    /// Counts a row's outcome; the text of a refused one is asked for only if it is shown.
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
    /// What it does.
    public enum Phase: Sendable, Hashable {
        /// Reads the input of this number, counted from 0.
        case reading(Int)
        /// Carries cities and areas over from the generation before.
        case carryingOver
        /// Sorts and builds the indexes.
        case indexing
        /// Brings the file to the disk and into its place.
        case finishing
    }

    /// What it does.
    public var phase: Phase
    /// Rows of this input read so far.
    public var rows = 0
    /// Bytes of this input so far, as packed.
    public var wireBytes: Int64 = 0
    /// Bytes of this input altogether, as packed, where known.
    public var totalBytes: Int64?
}
