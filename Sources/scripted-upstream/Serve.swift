import ArgumentParser
import Foundation
import ScriptedUpstream

/// Serves a directory of recorded feeds until it is told to stop.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve a directory of recorded feeds on 127.0.0.1.",
        discussion: """
            Each file is served under its path, with an ETag; unchanged files answer 304. A file quakes@45s.geojson \
            takes the place of quakes.geojson 45 seconds after the start. With --places, MapQuest is played at \
            /geocoding/v1/address and Nominatim at /search. SIGTERM and SIGINT end the program.
            """)

    @Option(help: "Directory to serve.")
    var directory: String

    @Option(help: "Port; 0 lets the kernel choose.")
    var port: UInt16 = 0

    @Option(help: "File to write the port to, once it is open.")
    var portFile: String?

    @Flag(help: "Move all times by the same amount, so that the newest item is now.")
    var shift = false

    @Option(help: "Table of the places that geocoding services know: name, latitude, longitude, country; tabs between.")
    var places: String?

    func run() async throws {
        let recorded: RecordedDirectory
        do {
            recorded = try RecordedDirectory(directory, start: Date(), isShifted: shift)
        } catch {
            throw ValidationError("cannot read the directory \"\(directory)\": \(error)")
        }
        let geocoders = try self.geocoders()
        let upstream = ScriptedUpstream()
        upstream.answerOthers { request in
            let reply = recorded.reply(to: request, at: Date())
            guard let geocoders, reply.statusCode == 404 else { return reply }
            return geocoders.reply(to: request)
        }
        let bound = try await upstream.start(port: port)
        if let portFile {
            try Data("\(bound)\n".utf8).write(to: URL(fileURLWithPath: portFile), options: .atomic)
        }
        let notice = "serving \(recorded.paths.count) feeds at \(upstream.baseURL)\n"
        FileHandle.standardError.write(Data(notice.utf8))
        // SIGTERM and SIGINT may end the process at once: there is nothing to save.
        while true { try await Task.sleep(for: .seconds(86_400)) }
    }

    private func geocoders() throws -> GeocoderScript? {
        guard let places else { return nil }
        guard let table = try? String(contentsOfFile: places, encoding: .utf8),
            let script = GeocoderScript(table: table)
        else { throw ValidationError("cannot read the places of \"\(places)\"") }
        return script
    }
}
