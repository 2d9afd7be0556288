import Foundation
import Model
import Pictures
import Store
import Testing

@testable import Serving

@Suite struct PictureTests {
    private let link = "https://pictures.example.org/face.png?token=secret"

    /// An interface over a record whose one message names a picture that is kept.
    private func served() throws -> (TestAPI, ReadAPI) {
        let test = try TestAPI()
        let event = Event(
            provider: "twitter", id: "1", time: start, category: .message, title: "A message",
            author: Author(name: "A", picture: link))
        try test.poll([event], from: "tweets")
        let pictures = PictureStore(
            beside: test.directory.path + "/events.sqlite", hosts: PictureHosts(["pictures.example.org"]))
        try pictures.prepare()
        while try !pictures.followOn(test.store).isDone {}
        let content = PictureContent(format: .png, data: Data([0x89, 0x50]))
        try pictures.settle(
            PictureSettlement(
                key: PictureKey.of(link), outcome: .kept(content, Validators()), due: start, redirects: 0),
            at: start)
        return (test, ReadAPI(program: "1.0", pictures: pictures))
    }

    private func get(_ path: String, _ test: TestAPI, _ api: ReadAPI) -> APIAnswer {
        api.answer(APIRequest(path: path, headers: ["host": "localhost"]), from: test.store, now: start)
    }

    @Test func aKeptPictureIsGivenOutUnderItsKeyWithAPolicyOfItsOwn() throws {
        let (test, api) = try served()
        let answer = get("/pictures/\(PictureKey.of(link))", test, api)
        #expect(answer.status == 200)
        #expect(answer.header("content-type") == "image/png")
        #expect(answer.header("content-security-policy") == "default-src 'none'; sandbox; frame-ancestors 'none'")
        #expect(answer.header("cache-control") == "no-store", "it must go with its event")
        guard case .whole(let bytes) = answer.body else {
            Issue.record("no whole body")
            return
        }
        #expect(bytes == [0x89, 0x50])
    }

    @Test func withoutAPictureThereIsNoContentAndOtherKeysAreRefused() throws {
        let (test, api) = try served()
        #expect(get("/pictures/\(PictureKey.of("else"))", test, api).status == 204)
        #expect(get("/pictures/\(PictureKey.of(link))", test, test.api).status == 204, "no pictures are kept")
        for path in ["/pictures/x", "/pictures/..%2Fevents.sqlite", "/pictures", "/pictures/a/b"] {
            #expect(get(path, test, api).status == 404, "\(path)")
        }
        let withQuery = APIRequest(
            path: "/pictures/\(PictureKey.of(link))", query: "size=9", headers: ["host": "localhost"])
        #expect(api.answer(withQuery, from: test.store, now: start).status == 400)
    }
}
