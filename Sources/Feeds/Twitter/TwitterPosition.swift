/// Where in a body an item stands.
struct TwitterPosition: CustomStringConvertible {
    /// Line of a stream, from 1; nil for a single document.
    var line: Int?
    /// Element of the document or of the line's list, from 1; nil where there is one only.
    var item: Int?

    var description: String {
        switch (line, item) {
        case (let line?, let item?): "line \(line), item \(item)"
        case (let line?, nil): "line \(line)"
        case (nil, let item?): "item \(item)"
        case (nil, nil): "document"
        }
    }
}
