import Testing

@testable import Feeds

@Suite struct PlaceSlugTests {
    @Test(arguments: [
        ("Soufrière Hills", "soufriere-hills"), ("Ta'u", "tau"), ("Öræfajökull", "oraefajokull"), ("Łódź", "lodz"),
        // Databases have identities with these letters unchanged.
        ("Ħal Gəncə", "ħal-gəncə"), ("  ", ""),
    ])
    func namesBecomeIdentities(name: String, slug: String) {
        #expect(PlaceSlug.of(name) == slug)
    }
}
