/// The largest parts of a document that are read into memory. The document itself may have any size. Values below the
/// ranges count as their lower ends.
public struct XMLLimits: Sendable, Hashable {
    /// The deepest nesting of elements, the root counted as 1; 1 or more. A deeper document is refused (`too_deep`).
    /// Default 256.
    public var depth = 256
    /// The bytes of text, attributes and structure of one item, 0 to 1 GiB (higher values count as 1 GiB). A larger
    /// item is left out and listed in `lostItems`. Default 8 MiB.
    public var itemBytes = 8 << 20
    /// The same for everything outside items, also 0 to 1 GiB. A larger document is refused (`too_large`). Default 8
    /// MiB.
    public var skeletonBytes = 8 << 20
    /// The most items of one document, 0 or more. A document with more is refused (`too_large`). Default 250,000.
    public var items = 250_000

    /// Creates the default limits: depth 256, 8 MiB for an item and for the rest, 250,000 items.
    public init() {}

    /// `itemBytes` and `skeletonBytes`, limited to 0…1 GiB.
    var itemLimit: Int { max(0, min(itemBytes, 1 << 30)) }
    var skeletonLimit: Int { max(0, min(skeletonBytes, 1 << 30)) }
    /// The most bytes of a tag. A longer tag exceeds both limits, whatever references it contains.
    var tagLimit: Int { 2 * max(itemLimit, skeletonLimit) }
}
