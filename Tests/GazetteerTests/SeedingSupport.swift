import Foundation
import Gazetteer
import Model
import Reading
import TestSupport

/// 2023-11-14T22:13:20Z, the time of all seedings here.
let seedTime = Date(timeIntervalSince1970: 1_700_000_000)

/// A folder with a city table.
struct SeedFolder {
    let directory = TemporaryDirectory()

    var path: String { directory.path + "/cities.sqlite" }

    /// The sorted names of all files in the folder.
    var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
    }

    /// Seeds from files in one run.
    @discardableResult
    func seed(
        _ files: [URL], isAdding: Bool = false, onProgress: @escaping (SeedProgress) -> Void = { _ in }
    ) throws -> SeedReport {
        let inputs = try files.map { SeedInput(name: $0.lastPathComponent, stream: try ByteStream(path: $0.path)) }
        return try Seeder(inputs, into: path, isAdding: isAdding).run(at: seedTime, onProgress: onProgress)
    }

    /// Seeds from documents in `Fixtures/cities`.
    @discardableResult
    func seed(_ fixtures: String..., isAdding: Bool = false) throws -> SeedReport {
        try seed(fixtures.map { Fixtures.url("cities/\($0)") }, isAdding: isAdding)
    }

    /// Writes a file into the folder.
    func write(_ name: String, _ data: Data) throws -> URL {
        let url = URL(fileURLWithPath: directory.path + "/" + name)
        try data.write(to: url)
        return url
    }

    func table() throws -> CityTable { try CityTable(path: path) }
}

extension CityTable {
    /// All cities with a name.
    func places(_ name: String) throws -> [Place] {
        var folding = NameFolding()
        guard let key = folding.key(name) else { return [] }
        return try cities(named: key).compactMap { try city($0.row) }
    }

    /// The ids of all countries and regions with a name.
    func areaIDs(_ name: String) -> [String] {
        var folding = NameFolding()
        guard let key = folding.key(name) else { return [] }
        return areas(named: key).map(\.place.id)
    }
}

extension SeedReport.Input {
    /// The number of refused rows by reason.
    var counts: [RowFault: Int] { Dictionary(refused.map { ($0.fault, $0.count) }, uniquingKeysWith: +) }
}
