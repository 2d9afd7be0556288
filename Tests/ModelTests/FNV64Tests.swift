import Model
import Testing

@Suite struct FNV64Tests {
    /// Test values of the algorithm's authors (Fowler, Noll, Vo).
    @Test(arguments: [("", "cbf29ce484222325"), ("a", "af63dc4c8601ec8c"), ("foobar", "85944171f73967e8")])
    func publishedValues(text: String, hash: String) {
        #expect(FNV64.hex(text) == hash)
    }
}
