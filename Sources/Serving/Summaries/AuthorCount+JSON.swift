import Foundation
import Model
import Reading
package import Store

extension AuthorCount {
    /// The author as one JSON object, as `visiventd authors` and `/summary/authors` have it.
    package var json: String {
        var writer = JSONWriter()
        writer.member("author_name", name)
        writer.member("author_link", link)
        writer.member("events", events)
        writer.member("latest", latest.timestamp)
        return writer.finish()
    }
}
