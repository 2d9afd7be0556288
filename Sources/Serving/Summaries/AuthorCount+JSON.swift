import Foundation
import Model
import Reading
package import Store

extension AuthorCount {
    /// The author as one JSON object, as `visiventd authors` and `/summary/authors` have it.
    package var json: String {
        JSONWriter.object([
            "author_name": name, "author_link": link, "events": events, "latest": latest.timestamp,
        ])
    }
}
