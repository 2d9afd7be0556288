public import Foundation
public import Model

/// The extent of the events of one category that are not withdrawn.
public struct CategoryExtent: Sendable, Hashable {
    /// The category.
    public var category: Model.Category
    /// A box round their shapes and coordinates that does not cross 180°, less than 0.0001° larger than the smallest;
    /// nil if none has a place.
    public var box: BoundingBox?
    /// The time of the first.
    public var first: Date
    /// The time of the last.
    public var last: Date

    /// Creates an extent of these values, which are not checked.
    package init(category: Model.Category, box: BoundingBox?, first: Date, last: Date) {
        (self.category, self.box, self.first, self.last) = (category, box, first, last)
    }
}
