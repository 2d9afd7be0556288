extension Schema {
    /// Version 11: issues and refused items of polls, the names of places, places that an operator corrected, indexes of
    /// validators by age and of merges by the event that they took in.
    static let version11 = issues + locationName + places + correctness
}
