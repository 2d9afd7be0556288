public import Foundation
public import Reading

/// An input of a seeding: a file, a pipe or a download.
public struct SeedInput {
    /// Its name in messages: the file's name, or the URL without its query.
    public var name: String
    /// Its bytes, unpacked, at their beginning; `Seeder` reads them once.
    public var stream: ByteStream

    /// Creates an input; nothing is read yet.
    public init(name: String, stream: ByteStream) {
        self.name = name
        self.stream = stream
    }
}

/// Makes a new generation of the city table from files. It blocks its thread until it is done.
///
/// Cities of an input replace those of the table, or join them (`isAdding`). The same holds for each kind of area.
/// Kinds without an input are carried over.
public final class Seeder {
    /// A recognised input.
    private struct Source {
        var name: String
        var format: InputFormat
        var stream: ByteStream
        /// The bytes read to recognise it.
        var sample: [UInt8]
        var reader: any RowReader
    }

    private let sources: [Source]
    private let path: String
    private let isAdding: Bool

    /// Rows between two reports of progress.
    private static let rowsBetweenLooks = 8192
    /// Bytes that are split into rows at a time, at least `InputFormat.sampleBytes`.
    private static let chunkBytes = 1 << 18

    /// Recognises the formats of the inputs by at most their first 64 KiB, which it reads; writes nothing.
    /// - Parameters:
    ///   - inputs: At least one.
    ///   - path: Path of the table, which need not exist.
    ///   - isAdding: Whether cities join those of the table; default false. A city with the same GeoNames id is
    ///     replaced. MaxMind's rows have no ids, so seeding a file twice doubles them.
    /// - Throws: `GazetteerError`: `unknownFormat`, naming what was found; `unreadableInput`.
    public init(_ inputs: [SeedInput], into path: String, isAdding: Bool = false) throws(GazetteerError) {
        var sources: [Source] = []
        for input in inputs {
            let sample = try Self.reading(input.name) { () throws(ReadingError) -> [UInt8] in
                try input.stream.read(upTo: InputFormat.sampleBytes)
            }
            guard let format = InputFormat(sample: sample) else {
                let member = input.stream.member.map { " (\($0) in the archive)" } ?? ""
                throw GazetteerError(
                    .unknownFormat,
                    "\(input.name)\(member) is \(UnknownInput.description(of: sample)); accepted are "
                        + InputFormat.accepted)
            }
            sources.append(
                Source(
                    name: input.name, format: format, stream: input.stream, sample: sample,
                    reader: format.reader(sample: sample)))
        }
        self.sources = sources
        self.path = path
        self.isAdding = isAdding
    }

    /// The recognised formats, one for each input and in their order.
    public var formats: [InputFormat] { sources.map(\.format) }

    /// Reads the inputs and puts the new table into place; call it once, since it uses the inputs up.
    /// - Parameters:
    ///   - seeded: Seeding time to be stored in the table, to the millisecond.
    ///   - onProgress: Called on this thread at the start of each phase and after every 8192 rows; by default nothing.
    /// - Throws: `GazetteerError`: `unreadableInput`, also for an input without a usable row; `cannotWrite`;
    ///   `notATable` and `unreadable` for a table that cannot be carried over. The table then stays unchanged.
    public func run(
        at seeded: Date, onProgress: @escaping (SeedProgress) -> Void = { _ in }
    ) throws(GazetteerError) -> SeedReport {
        let start = ContinuousClock.now
        CityTableBuilder.removeLeftovers(at: path)
        let builder = try CityTableBuilder(path: path, keeping: kept, at: seeded)
        builder.onProgress = onProgress
        // The builder removes its file when it is dropped on an error.
        var inputs: [SeedReport.Input] = []
        for (number, source) in sources.enumerated() {
            let input = try read(source, number, into: builder, onProgress)
            builder.note("\(source.name), \(source.format.rawValue), \(input.kept) rows", for: source.format.kind)
            inputs.append(input)
        }
        var report = try builder.finish()
        report.inputs = inputs
        report.duration = ContinuousClock.now - start
        return report
    }

    private var kept: CityTableBuilder.Kept {
        let given = Set(sources.map(\.format.kind))
        return CityTableBuilder.Kept(
            cities: isAdding || !given.contains(.city),
            areas: Set([Place.Kind.country, .region, .district]).subtracting(isAdding ? [] : given))
    }

    private func read(
        _ source: Source, _ number: Int, into builder: CityTableBuilder, _ onProgress: (SeedProgress) -> Void
    ) throws(GazetteerError) -> SeedReport.Input {
        let start = ContinuousClock.now
        var input = SeedReport.Input(name: source.name, format: source.format)
        var progress = SeedProgress(phase: .reading(number), totalBytes: source.stream.totalBytes)
        let reader = source.reader
        var untilLook = Self.rowsBetweenLooks
        onProgress(progress)
        func take(_ row: Int, _ line: LineCutter.Line) throws(GazetteerError) {
            untilLook -= 1
            if untilLook == 0 {
                untilLook = Self.rowsBetweenLooks
                progress.rows = input.rows
                progress.wireBytes = source.stream.wireBytes
                onProgress(progress)
            }
            var bytes = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
            var outcome = RowOutcome.ignored
            switch line {
            case .blank: break
            case .tooLong: outcome = .refused(.tooLong)
            case .text(let text, _):
                bytes = text.bindMemory(to: UInt8.self)
                if row == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
                    bytes = UnsafeBufferPointer(rebasing: bytes[3...])
                }
                if !bytes.isEmpty { outcome = try reader.take(bytes, into: builder) }
            }
            input.count(outcome, line: row) { Self.text(bytes, in: reader.encoding) }
        }
        var lines = LineCutter()
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunkBytes, alignment: 1)
        defer { room.deallocate() }
        room.copyBytes(from: source.sample)
        var count = source.sample.count
        while count > 0 {
            try lines.feed(UnsafeRawBufferPointer(rebasing: room[..<count]), take)
            count = try Self.reading(source.name) { () throws(ReadingError) -> Int in
                try source.stream.read(into: room)
            }
        }
        try lines.end(take)
        input.wireBytes = source.stream.wireBytes
        input.duration = ContinuousClock.now - start
        guard input.kept > 0 else {
            let reasons = input.refused.map { ", \($0.fault.rawValue) \($0.count)" }.joined()
            throw GazetteerError(
                .unreadableInput,
                "\(source.name) has no row that can be used (rows: \(input.rows)\(reasons)); "
                    + "\(path) stays as it was")
        }
        return input
    }

    /// The beginning of a row, for people.
    private static func text(_ row: UnsafeBufferPointer<UInt8>, in encoding: RowEncoding) -> String {
        let start = row.prefix(4 * SeedReport.Input.longestExample)
        switch encoding {
        case .utf8: return String(decoding: start, as: UTF8.self)
        case .latin1: return String(String.UnicodeScalarView(start.map { Unicode.Scalar($0) }))
        }
    }

    // MARK: - Reading

    private static func reading<T>(
        _ name: String, _ body: () throws(ReadingError) -> T
    ) throws(GazetteerError) -> T {
        do throws(ReadingError) {
            return try body()
        } catch {
            throw unreadable(name, error)
        }
    }

    private static func unreadable(_ name: String, _ error: ReadingError) -> GazetteerError {
        GazetteerError(.unreadableInput, "\(name): \(error.message); the city table stays as it was")
    }
}

extension InputFormat {
    /// The kind of place in its rows.
    var kind: Place.Kind {
        switch self {
        case .worldCities, .geoNamesCities: .city
        case .admin1: .region
        case .admin2: .district
        case .countryInfo: .country
        }
    }
}
