/// The position of an item in a body.
struct TwitterPosition: CustomStringConvertible {
    /// The line, from 1; nil for a single document.
    var line: Int?
    /// The element of the document or of the line's list, from 1; nil outside a list.
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
