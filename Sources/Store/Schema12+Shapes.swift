extension Schema {
    /// The events with a shape by their category, for the extents of collections. Most events have none.
    static let shapes = """
        CREATE INDEX event_shape ON event (category) WHERE geometry IS NOT NULL;
        """
}
