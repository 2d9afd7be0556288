import Foundation
import Model
import Reading

/// Brings the rules of an application's filtered stream in line with the wanted ones.
///
/// The rules are read. Stale rules of ours are deleted first, then missing ones added; after each change the rules are
/// read again. The stream is opened once nothing is left to change. Rules with another tag stay.
struct TwitterRuleSet {
    static let filteredStream = "https://api.twitter.com/2/tweets/search/stream"
    /// How often the rules are read at most: initially, after deleting, after adding, and once to spare.
    private static let maximumRounds = 4

    private let wanted: TwitterRules
    private let stream: TwitterFilteredStream

    init(_ wanted: TwitterRules, _ stream: TwitterFilteredStream) {
        self.wanted = wanted
        self.stream = stream
    }

    /// The request for the present rules.
    func list(round: Int = 1) -> FeedRequest {
        FeedRequest(
            url: stream.rulesURL, role: "rules", headers: ["Accept": "application/json"], authorization: .bearer,
            isConditional: false, notes: ["round": String(round)])
    }

    /// The follow-up to the list: a change, or the stream.
    /// - Throws: `Failure` (fault `feed`) for an unreadable list and for rules that still differ after four rounds.
    func answer(toList response: FeedResponse) throws(Failure) -> FeedAnswer {
        let present = try Self.rules(response.body)
        let round = response.request.notes["round"].flatMap { Int($0) } ?? 1
        let stale = present.filter { $0.tag == wanted.tag && !wanted.texts.contains($0.text) }.map { $0.id }
        let missing = wanted.texts.filter { text in !present.contains { $0.text == text } }
        guard !stale.isEmpty || !missing.isEmpty else {
            return FeedAnswer(followUps: [
                stream.request(rules: present.filter { wanted.texts.contains($0.text) }.map { $0.id })
            ])
        }
        guard round < Self.maximumRounds else {
            throw .feed("rules_differ", "Twitter keeps other rules for the stream than it was given")
        }
        var body = JSONWriter()
        if stale.isEmpty {
            let rules = missing.map { text in
                var rule = JSONWriter()
                rule.member("value", text)
                rule.member("tag", wanted.tag)
                return rule.finish()
            }
            body.member("add", raw: "[" + rules.joined(separator: ",") + "]")
        } else {
            var ids = JSONWriter()
            ids.member("ids", stale)
            body.member("delete", raw: ids.finish())
        }
        return FeedAnswer(followUps: [
            FeedRequest(
                url: stream.rulesURL, role: "rules_change", headers: ["Accept": "application/json"],
                json: body.finish(), authorization: .bearer, isConditional: false,
                notes: ["round": String(round), "change": stale.isEmpty ? "add" : "delete"])
        ])
    }

    /// The follow-up to a change: the list again.
    /// - Throws: `Failure` (fault `operator`) for a rule that X refuses.
    func answer(toChange response: FeedResponse) throws(Failure) -> FeedAnswer {
        let round = response.request.notes["round"].flatMap { Int($0) } ?? 1
        // A failed deletion means that the rules are already gone.
        if response.request.notes["change"] == "add", let words = Self.refusal(response.body) {
            throw Failure(.operator, "rule_refused", "Twitter refuses a rule of the stream: \(words)")
        }
        return FeedAnswer(followUps: [list(round: round + 1)])
    }

    // MARK: Answers

    private struct Rule {
        var id: String
        var text: String
        var tag: String?
    }

    /// The rules in `{"data":[{"id":"1","value":"volcano","tag":"…"}],"meta":{…}}`; `data` is missing when there are
    /// none.
    private static func rules(_ body: Data) throws(Failure) -> [Rule] {
        let found: (rules: [Rule], failure: Failure?)
        do throws(ReadingError) {
            found = try JSONParser().withValue(of: body) {
                root throws(ReadingError) -> (rules: [Rule], failure: Failure?) in
                var rules: [Rule] = []
                if let data = root["data"] {
                    for rule in data.elements {
                        guard let id = rule["id"]?.string, let text = rule["value"]?.string else { continue }
                        rules.append(Rule(id: id, text: text, tag: rule["tag"]?.string))
                    }
                }
                let isAnswer = root["data"] != nil || root["meta"] != nil
                return (rules, isAnswer ? nil : TwitterErrors.failure(root))
            }
        } catch {
            throw .feed("bad_rules", "the list of the stream's rules is no JSON object")
        }
        if let failure = found.failure { throw failure }
        return found.rules
    }

    /// The reason why a rule was not added; nil when all were added or existed already.
    private static func refusal(_ body: Data) -> String? {
        try? JSONParser().withValue(of: body) { root throws(ReadingError) -> String? in
            guard let errors = root["errors"] else { return nil }
            for error in errors.elements where error["title"]?.string != "DuplicateRule" {
                let details = error["details"]?.elements.first { _ in true }?.string
                let value = error["value"]?.string.map { "\"\($0)\": " } ?? ""
                return String((value + (details ?? TwitterErrors.message(error))).prefix(300))
            }
            return nil
        }
    }
}
