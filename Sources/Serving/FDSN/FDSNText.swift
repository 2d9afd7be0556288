import Foundation
import Model
import Presenting
import Reading

/// The form `text` of fdsnws-event 1.2: a line of 13 columns for each event.
enum FDSNText {
    /// The line with the columns' names.
    static let head = """
        #EventID|Time|Latitude|Longitude|Depth/km|Author|Catalog|Contributor|ContributorID|MagType|Magnitude|MagAuthor|\
        EventLocationName
        """

    /// The line of an event; unknown values are empty.
    static func line(_ feature: USGSFeature) -> String {
        let (stored, event) = (feature.stored, feature.stored.event)
        let point = event.location?.coordinate
        let columns: [String?] = [
            stored.publicID, String(feature.time.timestamp.dropLast()), point?.latitude.jsonText,
            point?.longitude.jsonText, event.depth?.jsonText, feature.network,
            stored.sources.joined(separator: ","), event.provider, event.id, feature.magnitudeType,
            event.magnitude?.jsonText, event.magnitude == nil ? nil : feature.network, event.place ?? event.title,
        ]
        return columns.map { cell($0 ?? "") }.joined(separator: "|")
    }

    /// The text without the separator and line breaks, and no formula to a spreadsheet.
    private static func cell(_ text: String) -> String {
        let plain = text.onOneLine.replacing { character, out in
            if character == "|" { out.append(0x20) }
            return character == "|"
        }
        return plain.safeToShow.defused
    }
}
