/// How much of a document is taken in at once; what is larger is refused, whatever the size of the document.
public struct XMLLimits: Sendable, Hashable {
    /// How deep elements may nest, 1…; a deeper document is refused (`too_deep`). Default 256.
    public var depth = 256
    /// Bytes of text, attributes and structure of one item; a larger item is left out and named in `lostItems`.
    /// Default 8 MiB, at most 1 GiB.
    public var itemBytes = 8 << 20
    /// The same for all that is not in an item; a larger document is refused (`too_large`).
    /// Default 8 MiB, at most 1 GiB.
    public var skeletonBytes = 8 << 20
    /// Items of one document; a document with more is refused (`too_large`). Default 250 000.
    public var items = 250_000

    /// Creates the default limits.
    public init() {}

    /// `itemBytes` and `skeletonBytes` within their bounds.
    var itemLimit: Int { max(0, min(itemBytes, 1 << 30)) }
    var skeletonLimit: Int { max(0, min(skeletonBytes, 1 << 30)) }
    /// The most bytes of a tag. A longer one is beyond both, whatever references it holds.
    var tagLimit: Int { 2 * max(itemLimit, skeletonLimit) }
}
