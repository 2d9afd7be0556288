import ArgumentParser
import Control
import Foundation
import Gazetteer
import Model
import Store

/// `visiventd seed volcanoes`
struct SeedVolcanoes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "volcanoes",
        abstract: "Make the volcanoes of a list points of interest.",
        discussion: """
            Formats are told by content, plain, gzip or zip: a Global Volcanism Program list (CSV, the web site's XML \
            spreadsheet, KML or KMZ), or CSV of name, "longitude,latitude", picture, webcam, text. Lists complete each \
            other; seeding one again changes nothing. It goes beside a running daemon.

            Examples:
              visiventd seed volcanoes GVP_Volcano_List_Holocene.csv
              visiventd seed volcanoes volcano_list.txt
              xz -dc volcanoes.csv.xz | visiventd seed volcanoes -
            """)

    @OptionGroup var database: DatabaseOptions

    @Argument(
        help: "A file, an http or https URL, or - for standard input; at most 64 MiB.", completion: .file())
    var input: String

    func validate() throws { try mustBeInput(input) }

    func run() async throws {
        try await reporting(database.hints) {
            let path = try database.path()
            let data = try await wholeInput(input)
            let list: VolcanoList
            do throws(GazetteerError) {
                list = try VolcanoList(data)
            } catch {
                let name = input == "-" ? "standard input" : input.withoutQuery
                throw GazetteerError(error.code, "\(name): \(error.message)")
            }
            try FolderOwner.become(ofFolderOf: path)
            // A database that another program works with is not migrated.
            if DatabaseLock.isHeld(database: path) { try EventStore(path: path, mode: .readOnly).close() }
            let store = try EventStore(path: path)
            let result = try store.seed(list.entries.map { $0.point }, at: Date())
            Terminal.print(
                "\(list.rows.counted("row")) of a \(list.format): "
                    + list.entries.count.counted("volcano", "volcanoes"))
            Terminal.print("\(result.new) new, \(result.changed) changed, \(result.unchanged) unchanged")
            for issue in list.issues { Terminal.print("\(issue.costsRow ? "refused" : "mended"): \(issue)") }
            if list.entries.isEmpty { throw ExitStatus.data }
        }
    }
}
