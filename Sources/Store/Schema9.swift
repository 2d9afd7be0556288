extension Schema {
    /// Version 9: nothing.
    static let version9 = ""
}
