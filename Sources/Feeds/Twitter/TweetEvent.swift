import Foundation
import Model
import Reading

/// One message, turned into an event.
///
/// Identity: provider `twitter` and the id of the message's first version. The other versions are aliases, since each
/// edit gives a new id. A retweet has been replaced by its original before. The retweet's own id is no alias: undoing a
/// retweet sends a delete of that id, which must not erase the original.
struct TweetEvent {
    private let tweet: Tweet
    private let position: TwitterPosition
    private(set) var issues: [FeedIssue] = []
    /// The number of http and https links in the message.
    private(set) var links = 0

    init(_ tweet: Tweet, at position: TwitterPosition) {
        self.tweet = tweet
        self.position = position
    }

    /// The event, or nil with an issue when the message has no id or no text.
    mutating func event() -> Event? {
        guard let id = tweet.id else {
            note("no_id", found: TweetText.plain(tweet.text) ?? "a message without id", costsItem: true)
            return nil
        }
        guard let text = TweetText.plain(tweet.text) else {
            note("no_text", found: String(id), costsItem: true)
            return nil
        }
        let first = tweet.versions.first ?? id
        let written = date(of: id)
        var event = Event(provider: "twitter", id: String(first), category: .message, title: TweetText.title(text))
        if first != id || tweet.versions.count > 1 { event.aliases = aliases(of: first, current: id) }
        event.time = first == id ? written : firstDate(first) ?? written
        // An excerpt gets an earlier date than the message, so that it never replaces the full text.
        event.updated = tweet.isExcerpt ? written?.addingTimeInterval(-1) : written
        event.language = HTMLText.language(tweet.language?.string)

        let quoted = TweetText.plain(tweet.quotedText)
        let quotedAuthor = TweetText.account(tweet.quotedAuthor)
        event.summary = quoted.map { Self.summary(text, quoting: $0, of: quotedAuthor) } ?? text

        let account = TweetText.account(tweet.author?.screenName)
        event.link = "https://twitter.com/" + (account ?? "i") + "/status/" + String(id)
        if let account {
            event.author = Author(
                name: account, link: "https://twitter.com/" + account,
                picture: HTMLText.webURL(tweet.author?.picture?.string))
        }

        var details = JSONWriter()
        place(&event, &details)
        describe(&details, quoted: quoted, of: quotedAuthor)
        event.details = details.finish()
        return event
    }

    // MARK: Identity and dates

    /// The most versions that are kept; Twitter allows five edits.
    private static let maximumVersions = 50
    /// The most hashtags and the most links that are read; a message of 25,000 characters has fewer.
    private static let maximumEntries = 1000

    private func aliases(of first: Int64, current: Int64) -> [String] {
        var others: [Int64] = []
        for version in tweet.versions.prefix(Self.maximumVersions) + [current]
        where version != first && !others.contains(version) {
            others.append(version)
        }
        return others.map { String($0) }
    }

    /// `created_at` of this version, else the time in the id.
    private mutating func date(of id: Int64) -> Date? {
        if let text = tweet.created?.string {
            let isV1 = text.utf8.first.map { $0 > UInt8(ascii: "9") } ?? true
            if let date = isV1 ? DateReader.twitter(text) : DateReader.rfc3339(text) { return date }
        }
        let date = TwitterID.date(of: id)
        if let created = tweet.created {
            note("bad_date", found: created.beginning)
        } else if date == nil {
            note("bad_date", found: "no created_at")
        }
        return date
    }

    /// The time of an edited message's first version, in whole seconds as in `created_at`.
    private func firstDate(_ id: Int64) -> Date? {
        TwitterID.date(of: id).map { Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.down)) }
    }

    // MARK: Place

    /// Fills place and location. The location is the point, else the centre of the attached place unless that is a
    /// country. The place in words is the attached place, else the author's profile location.
    private mutating func place(_ event: inout Event, _ details: inout JSONWriter) {
        let home = TweetText.oneLine(tweet.author?.location)
        event.place = tweet.place?.text
        if event.place != nil {
            details.member("place_from", "place")
        } else if let home {
            event.place = home
            details.member("place_from", "author")
        }
        details.member("author_name", TweetText.oneLine(tweet.author?.name))
        details.member("author_location", home)
        if let place = tweet.place {
            details.member("place_id", place.id?.string)
            details.member("place_type", place.type)
            details.member("country", TweetText.oneLine(place.country))
        }
        event.location = point()
        if event.location == nil { event.location = middle() }
    }

    private mutating func point() -> Location? {
        guard let point = tweet.point else { return nil }
        let numbers = point.elements.prefix(2).map { $0.double ?? .nan }
        guard numbers.count >= 2,
            let coordinate = tweet.isLatitudeFirst
                ? Coordinate(latitude: numbers[0], longitude: numbers[1])
                : Coordinate(latitude: numbers[1], longitude: numbers[0]),
            !coordinate.isNowhere
        else {
            note("bad_coordinate", found: point.beginning)
            return nil
        }
        return Location(coordinate)
    }

    private mutating func middle() -> Location? {
        guard let place = tweet.place, place.hasBox, let precision = place.precision else { return nil }
        guard let centre = place.box?.centre, !centre.isNowhere else {
            note("bad_coordinate", found: "box of place \(place.id?.string ?? "without id")")
            return nil
        }
        return Location(centre, method: .box, precision: precision)
    }

    // MARK: Text and details

    private static func summary(_ text: String, quoting quoted: String, of author: String?) -> String {
        let signature = author.map { " — @" + $0 } ?? ""
        return text + "\n“" + quoted + "”" + signature
    }

    private mutating func describe(_ details: inout JSONWriter, quoted: String?, of quotedAuthor: String?) {
        if let hashtags = tweet.hashtags?.elements.prefix(Self.maximumEntries) {
            details.member("hashtags", hashtags.compactMap { TweetText.oneLine($0["text"] ?? $0["tag"]) })
        }
        if let urls = tweet.urls?.elements.prefix(Self.maximumEntries) {
            let found = urls.compactMap { HTMLText.webURL($0["expanded_url"]?.string) }
            links = found.count
            details.member("urls", found)
        }
        details.member("retweets", Self.count(tweet.retweets))
        details.member("favourites", Self.count(tweet.favourites))
        details.member("replies", Self.count(tweet.replies))
        details.member("quotes", Self.count(tweet.quotes))
        details.member("in_reply_to", tweet.repliedID.map { String($0) })
        details.member("in_reply_to_author", TweetText.account(tweet.repliedAuthor))
        details.member("source", TweetText.source(tweet.source))
        details.member("quoted_id", tweet.quotedID.map { String($0) })
        details.member("quoted_author", quotedAuthor)
        details.member("quoted_text", quoted)
        details.member("possibly_sensitive", tweet.isSensitive)
    }

    private static func count(_ value: JSONValue?) -> Int? { value?.int64.map { Int($0) } }

    private mutating func note(_ reason: String, found: String, costsItem: Bool = false) {
        let place = tweet.id.map { "\(position) (\($0))" } ?? position.description
        issues.append(FeedIssue(reason, at: place, found: found, costsItem: costsItem))
    }
}
