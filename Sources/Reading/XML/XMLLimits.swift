/// The largest parts of a document that are read into memory. The document itself may have any size.
public struct XMLLimits: Sendable, Hashable {
    /// The deepest nesting of elements, 1…. A deeper document is refused (`too_deep`). Default 256.
    public var depth = 256
    /// The bytes of text, attributes and structure of one item. A larger item is left out and listed in `lostItems`.
    /// Default 8 MiB, at most 1 GiB.
    public var itemBytes = 8 << 20
    /// The same for everything outside items. A larger document is refused (`too_large`). Default 8 MiB, at most 1 GiB.
    public var skeletonBytes = 8 << 20
    /// The items of one document. A document with more is refused (`too_large`). Default 250,000.
    public var items = 250_000

    /// Creates the default limits.
    public init() {}

    /// `itemBytes` and `skeletonBytes`, limited to 0…1 GiB.
    var itemLimit: Int { max(0, min(itemBytes, 1 << 30)) }
    var skeletonLimit: Int { max(0, min(skeletonBytes, 1 << 30)) }
    /// The most bytes of a tag. A longer tag exceeds both limits, whatever references it contains.
    var tagLimit: Int { 2 * max(itemLimit, skeletonLimit) }
}
