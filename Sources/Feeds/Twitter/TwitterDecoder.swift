import Foundation
import Model
import Reading

/// Reads JSON values from Twitter one by one and collects the answer.
///
/// The members of a value show its kind: a status of API v1.1, a search result of v1.1 or of the premium search, a
/// response or a flattened message of API v2, or a control message of a stream, which is counted under its name.
struct TwitterDecoder {
    /// The events, withdrawals, issues and tallies so far. `finish` adds the tally `links`.
    private(set) var answer = FeedAnswer()
    /// The paging information of the items so far.
    private(set) var page = TwitterPage()
    /// For a stream, the ids of the rules whose messages are kept (empty: all); nil for other input.
    var streamRules: Set<String>?
    /// The number of values of a known kind, with or without faulty items. In a stream only values with an event or
    /// `matching_rules`, and control messages, count, since any JSON may have the same members.
    private(set) var understood = 0
    private var links = 0
    /// The number of lines without a recognized value.
    private(set) var lostLines = 0
    /// Bytes of texts and details so far. Messages may repeat the content of `includes`.
    private var keptBytes = 0

    /// The most messages of an array; Twitter sends at most 500.
    private static let maximumItems = 250_000
    /// The most lost lines; the rest of the input is then skipped.
    private static let maximumLostLines = 250_000
    private static let maximumKeptBytes = 128 << 20

    private mutating func report(_ issue: FeedIssue) { answer.report(issue) }

    /// The answer with all its tallies and its cost.
    mutating func finish() -> FeedAnswer {
        if links > 0 { answer.tallies["links"] = links }
        answer.cost = page.count
        return answer
    }

    /// Reads the root of a single document: any known value, or an array of them (a timeline).
    /// - Returns: The reason why the document is unusable as a whole; nil when it is usable.
    mutating func read(document root: JSONValue) -> Failure? {
        guard root.kind == .array else { return read(root, at: TwitterPosition()) }
        if let failure = Self.refusal(of: root) { return failure }
        var position = TwitterPosition(item: 0)
        for element in root.elements {
            position.item = (position.item ?? 0) + 1
            readItem(element, at: position)
        }
        guard root.count == 0 || understood > 0 else {
            return .feed("not_twitter", "no element of the array is a Twitter message")
        }
        return nil
    }

    /// The failure of an array that is too long; nil for others.
    private static func refusal(of array: JSONValue) -> Failure? {
        guard let count = array.count, count > maximumItems else { return nil }
        return .feed("too_large", "an array has more than \(maximumItems) elements")
    }

    /// Reads one of several values. A fault costs only that value.
    mutating func readItem(_ value: JSONValue, at position: TwitterPosition) {
        guard !WorkLimit.isExceeded else { return }
        if let failure = read(value, at: position) {
            report(
                FeedIssue(failure.code, at: position.description, found: failure.message, costsItem: true))
        }
    }

    /// Reads the lines of a stream or of a JSON lines file. The last line may lack its end.
    mutating func readLines(_ bytes: UnsafeRawBufferPointer, limit: Int, with parser: JSONParser) {
        var lines = LineCutter(limit: limit)
        lines.feed(bytes) { read($1, number: $0, limit: limit, with: parser) }
        lines.end { read($1, number: $0, limit: limit, with: parser) }
    }

    /// Reads one line.
    mutating func read(_ line: LineCutter.Line, number: Int, limit: Int, with parser: JSONParser) {
        let position = TwitterPosition(line: number)
        guard lostLines <= Self.maximumLostLines, !WorkLimit.isExceeded else { return }
        if lostLines == Self.maximumLostLines {
            lostLines += 1
            return report(FeedIssue("too_many_faults", at: position.description, found: "no line is read from here"))
        }
        let before = understood
        defer { if understood == before, !line.isBlank { lostLines += 1 } }
        switch line {
        case .blank: tally("keep_alive")
        case .tooLong(let length):
            report(
                FeedIssue(
                    "line_too_long", at: position.description, found: "\(length) bytes, at most \(limit) are read",
                    costsItem: true))
        case .text(let bytes, let padding):
            do throws(ReadingError) {
                try parser.withValue(of: bytes, padding: padding) { value throws(ReadingError) in
                    readItem(value, at: position)
                }
            } catch {
                report(
                    FeedIssue(error.code, at: position.description, found: error.message, costsItem: true))
            }
        }
    }

    /// Reads one value. Its first known member decides its kind.
    /// - Returns: The reason why it is unusable as a whole; nil when it is usable.
    private mutating func read(_ value: JSONValue, at position: TwitterPosition) -> Failure? {
        guard value.kind == .object else {
            return .feed("not_twitter", "expected a JSON object, found \(value.kind)")
        }
        for (key, member) in value.members {
            switch key {
            case "id", "id_str", "text", "full_text", "user":
                let events = answer.events.count
                let isV2 = TweetV2.isMessage(value)
                add(
                    isV2 ? TweetV2.message(value, includes: TweetV2.Includes(nil)) : TweetV1.message(value),
                    at: position)
                count(since: events)
                return nil
            case "statuses":
                return readSearch(
                    member, hasMore: value["search_metadata"]?["next_results"]?.string != nil, at: position)
            case "results":
                let token = value["next"]?.string
                page.token = token
                return readSearch(member, hasMore: token != nil, at: position)
            case "data", "includes", "meta", "errors": return readResponse(value, at: position)
            case "error": return TwitterErrors.failure(value)
            case "for_user":
                // Site streams wrap each message and add its recipient.
                control("for_user")
                return value["message"].flatMap { read($0, at: position) }
            case "delete":
                control("delete")
                withdraw(member, at: position)
                return nil
            case "scrub_geo", "limit", "status_withheld", "user_withheld", "disconnect", "warning", "friends", "event":
                control(key.string)
                return nil
            default: continue
            }
        }
        if streamRules != nil, value["title"]?.string != nil { return close(TwitterErrors.message(value)) }
        let keys = value.members.prefix(5).map { $0.key.string.prefix(30) }.joined(separator: ", ")
        return .feed("not_twitter", "expected a Twitter message, found an object with the members \(keys)")
    }

    // MARK: Responses

    /// The statuses of a search of API v1.1 or of the premium search.
    private mutating func readSearch(
        _ statuses: JSONValue, hasMore: Bool, at position: TwitterPosition
    ) -> Failure? {
        guard statuses.kind == .array else {
            return .feed("not_twitter", "expected the messages of a search as an array, found \(statuses.kind)")
        }
        if let failure = Self.refusal(of: statuses) { return failure }
        understood += 1
        if hasMore { page.hasMore = true }
        var position = position
        position.item = 0
        if answer.events.isEmpty { answer.events.reserveCapacity(min(statuses.count ?? 0, 1_000)) }
        for status in statuses.elements {
            position.item = (position.item ?? 0) + 1
            readItem(status, at: position)
        }
        return nil
    }

    /// A response of API v2: a lookup, a page of a search or timeline, or a line of a stream.
    private mutating func readResponse(_ response: JSONValue, at position: TwitterPosition) -> Failure? {
        var data: JSONValue?
        var includes: JSONValue?
        var meta: JSONValue?
        var errors: JSONValue?
        var rules: JSONValue?
        for (key, value) in response.members where !value.isNull {
            switch key {
            case "data": data = value
            case "includes": includes = value
            case "meta": meta = value
            case "errors": errors = value
            case "matching_rules": rules = value
            default: break
            }
        }
        if let failure = data.flatMap({ Self.refusal(of: $0) }) { return failure }
        guard data != nil || meta != nil else {
            let error = errors?.elements.first { _ in true }
            guard streamRules != nil else { return TwitterErrors.failure(response) }
            guard let error else { return .feed("not_twitter", "found \(response.beginning)") }
            return close(TwitterErrors.message(error))
        }
        let events = answer.events.count
        let isOfStream = data != nil && streamRules != nil && rules?.kind == .array
        defer { if isOfStream { understood += 1 } else { count(since: events) } }
        if data != nil, let rules, !isOurs(rules) {
            // The message is billed like any other.
            page.count += 1
            report(
                FeedIssue(
                    "other_rule", at: position.description, found: "a message of somebody else's rule", costsItem: true)
            )
            return nil
        }
        page.token = meta?["next_token"]?.string
        page.hasMore = page.token != nil
        if let data { readData(data, TweetV2.Includes(includes), at: position) }
        if let errors { readErrors(errors, at: position) }
        return nil
    }

    /// Errors beside data name missing users, places or messages.
    private mutating func readErrors(_ errors: JSONValue, at position: TwitterPosition) {
        var number = 0
        for error in errors.elements {
            number += 1
            tally("errors")
            report(
                FeedIssue("upstream_error", at: "\(position), error \(number)", found: TwitterErrors.message(error)))
        }
    }

    private mutating func readData(_ data: JSONValue, _ includes: TweetV2.Includes, at position: TwitterPosition) {
        guard data.kind == .array else { return add(data, includes, at: position) }
        var position = position
        position.item = 0
        if answer.events.isEmpty { answer.events.reserveCapacity(min(data.count ?? 0, 1_000)) }
        for element in data.elements where !WorkLimit.isExceeded {
            position.item = (position.item ?? 0) + 1
            add(element, includes, at: position)
        }
    }

    private mutating func add(_ item: JSONValue, _ includes: TweetV2.Includes, at position: TwitterPosition) {
        guard item.kind == .object else {
            report(
                FeedIssue(
                    "not_twitter", at: position.description, found: "\(item.kind) in place of a message",
                    costsItem: true))
            return
        }
        add(TweetV2.message(item, includes: includes), at: position)
    }

    private mutating func add(_ tweet: Tweet, at position: TwitterPosition) {
        page.count += 1
        if let id = tweet.listedID {
            page.newest = max(page.newest ?? id, id)
            page.oldest = min(page.oldest ?? id, id)
        }
        var reader = TweetEvent(tweet, at: position)
        if let event = reader.event() {
            keptBytes += (event.summary?.utf8.count ?? 0) + event.details.utf8.count
            if keptBytes <= Self.maximumKeptBytes {
                answer.events.append(event)
            } else {
                report(
                    FeedIssue(
                        "too_large", at: position.description,
                        found: "the messages say more than \(Self.maximumKeptBytes) bytes with what they quote",
                        costsItem: true))
            }
        }
        links += reader.links
        for issue in reader.issues { report(issue) }
    }

    // MARK: Streams

    /// Counts a value of a known kind; in a stream only if it gave an event.
    private mutating func count(since events: Int) {
        if streamRules == nil || answer.events.count > events { understood += 1 }
    }

    /// Whether a line of a stream names one of our rules.
    private func isOurs(_ rules: JSONValue) -> Bool {
        guard let streamRules, !streamRules.isEmpty else { return true }
        return rules.elements.contains { rule in rule["id"]?.string.map { streamRules.contains($0) } ?? false }
    }

    /// Handles the stream's own announcement of its end:
    /// `{"errors":[{"title":"operational-disconnect","disconnect_type":"…","detail":"…"}]}`.
    private mutating func close(_ words: String) -> Failure? {
        control("disconnect")
        answer.closing = Failure(.server, "disconnected", "Twitter closes the stream: \(words)")
        return nil
    }

    // MARK: Control messages

    /// Reads `{"delete":{"status":{"id":1234,"id_str":"1234","user_id":3,"user_id_str":"3"}}}`.
    private mutating func withdraw(_ delete: JSONValue, at position: TwitterPosition) {
        // Direct messages are deleted the same way, but they are no events here.
        guard let status = delete["status"] else { return }
        guard let id = TwitterID.read(status["id_str"]) ?? TwitterID.read(status["id"]) else {
            report(
                FeedIssue("no_id", at: position.description, found: "a delete message without id", costsItem: true))
            return
        }
        answer.withdrawals.append(
            Withdrawal(
                provider: "twitter", id: String(id), reason: .deleted, evidence: "delete message", erases: true))
    }

    private mutating func control(_ word: String) {
        understood += 1
        tally(word)
    }

    private mutating func tally(_ word: String) { answer.tallies[word, default: 0] += 1 }
}

/// The paging information of a search response.
struct TwitterPage {
    /// The number of messages, unusable ones included.
    var count = 0
    /// The greatest id of its items.
    var newest: Int64?
    /// The least id of its items.
    var oldest: Int64?
    /// Whether older messages follow.
    var hasMore = false
    /// The token of the next page (v2, premium); nil in v1.1 and on the last page.
    var token: String?
}
