import Feeds
import Model
import Testing

@Suite struct StreamPageTests {
    @Test(arguments: [
        ("text/html; charset=utf-8", true), ("Text/HTML", true), ("application/xhtml+xml", true),
        ("application/json", false), ("text/plain", false),
    ])
    func aPageIsToldByItsType(type: String, isPage: Bool) {
        let failure = Failure.page(inPlaceOfStream: ["content-type": type])
        #expect(failure?.code == (isPage ? "html_page" : nil))
    }

    @Test func withoutATypeTheLinesDecide() {
        #expect(Failure.page(inPlaceOfStream: [:]) == nil)
    }
}
