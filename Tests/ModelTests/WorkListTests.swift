import Foundation
import Model
import Testing

@Suite struct WorkListTests {
    /// As the column `work` of a source has it.
    private static let stored =
        #"{"chains":[{"state":{"values":{"since_id":"7"}},"validators":{"https://a.test/feed":{"etag":"\"1\""}}}],"#
        + #""pending":[{"chain":0,"request":{"authorization":"bearer","cost":10,"headers":{"Accept":"text/xml"},"#
        + #""isConditional":true,"isEssential":false,"maximumTries":5,"monthlyCap":500,"notes":{"id":"d"},"#
        + #""role":"document","topic":"t","url":"https://a.test/d"},"tries":2}]}"#

    @Test func aStoredWorkListIsReadAndWrittenAsItStands() throws {
        let work = WorkList(
            pending: [
                WorkList.Pending(
                    request: FeedRequest(
                        url: "https://a.test/d", role: "document", topic: "t", headers: ["Accept": "text/xml"],
                        authorization: .bearer, isEssential: false, cost: 10, monthlyCap: 500, notes: ["id": "d"]),
                    chain: 0, tries: 2)
            ],
            chains: [
                WorkList.Chain(
                    validators: ["https://a.test/feed": Validators(etag: "\"1\"")], state: FeedState(["since_id": "7"]))
            ])
        #expect(try JSONDecoder().decode(WorkList.self, from: Data(Self.stored.utf8)) == work)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(String(decoding: try encoder.encode(work), as: UTF8.self) == Self.stored)
    }
}
