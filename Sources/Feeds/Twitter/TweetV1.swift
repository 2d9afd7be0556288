import Reading

/// Reads statuses of API v1.1: search results, timelines and streams, in compatibility and extended mode.
enum TweetV1 {
    /// The message of a status. For a retweet it is the original, with the original's text, author and place.
    static func message(_ status: JSONValue) -> Tweet {
        var listed = Tweet()
        let original = read(status, into: &listed)
        listed.listedID = listed.id
        guard let original else { return listed }
        var tweet = Tweet()
        _ = read(original, into: &tweet)
        tweet.listedID = listed.id
        if tweet.quotedText == nil {
            tweet.quotedID = listed.quotedID ?? tweet.quotedID
            tweet.quotedText = listed.quotedText
            tweet.quotedAuthor = listed.quotedAuthor
        }
        return tweet
    }

    /// Reads the members of one status and returns its `retweeted_status`.
    ///
    /// Keys are compared by length first, since a status has some thirty, most of them unused.
    private static func read(_ status: JSONValue, into tweet: inout Tweet) -> JSONValue? {
        var number: JSONValue?
        var fullText: JSONValue?
        var extended: JSONValue?
        var entities: JSONValue?
        var retweeted: JSONValue?
        for (key, value) in status.members where !value.isNull {
            switch key.utf8.count {
            case 2: if key == "id" { number = value }
            case 3:
                if key == "geo", tweet.point == nil {
                    tweet.point = value["coordinates"]
                    tweet.isLatitudeFirst = true
                }
            case 4:
                if key == "text" {
                    tweet.text = value
                } else if key == "user" {
                    tweet.author = TweetAuthor(value)
                } else if key == "lang" {
                    tweet.language = value
                } else if key == "urls" {
                    // Libraries such as python-twitter move the entities up into the status.
                    tweet.urls = value
                }
            case 5: if key == "place" { tweet.place = TweetPlace(value) }
            case 6:
                if key == "id_str" { tweet.id = TwitterID.read(value) } else if key == "source" { tweet.source = value }
            case 8:
                if key == "entities" { entities = value } else if key == "hashtags" { tweet.hashtags = value }
            case 9: if key == "full_text" { fullText = value }
            case 10: if key == "created_at" { tweet.created = value }
            case 11:
                if key == "coordinates", let point = value["coordinates"] {
                    tweet.point = point
                    tweet.isLatitudeFirst = false
                } else if key == "quote_count" {
                    tweet.quotes = value
                } else if key == "reply_count" {
                    tweet.replies = value
                }
            case 12: if key == "edit_history" { tweet.versions = versions(value) }
            case 13:
                if key == "retweet_count" {
                    tweet.retweets = value
                } else if key == "quoted_status" {
                    readQuoted(value, into: &tweet)
                }
            case 14:
                if key == "extended_tweet" {
                    extended = value
                } else if key == "favorite_count" {
                    tweet.favourites = value
                }
            case 16:
                if key == "retweeted_status" {
                    retweeted = value
                } else if key == "quoted_status_id", tweet.quotedID == nil {
                    tweet.quotedID = TwitterID.read(value)
                }
            case 18: if key == "possibly_sensitive" { tweet.isSensitive = value.bool }
            case 20: if key == "quoted_status_id_str" { tweet.quotedID = TwitterID.read(value) ?? tweet.quotedID }
            case 21:
                if key == "in_reply_to_status_id", tweet.repliedID == nil { tweet.repliedID = TwitterID.read(value) }
            case 23: if key == "in_reply_to_screen_name" { tweet.repliedAuthor = value }
            case 25:
                if key == "in_reply_to_status_id_str" { tweet.repliedID = TwitterID.read(value) ?? tweet.repliedID }
            default: break
            }
        }
        // Storage may have rounded the number (867468138991964200 for …160), so it is the last resort.
        if tweet.id == nil { tweet.id = TwitterID.read(number) }
        tweet.text = extended?["full_text"] ?? fullText ?? tweet.text
        if let lists = extended?["entities"] ?? entities {
            tweet.hashtags = lists["hashtags"] ?? tweet.hashtags
            tweet.urls = lists["urls"] ?? tweet.urls
        }
        return retweeted
    }

    /// Keeps the quoted status as text; it is no event of its own.
    private static func readQuoted(_ status: JSONValue, into tweet: inout Tweet) {
        tweet.quotedID = TwitterID.read(status["id_str"]) ?? tweet.quotedID ?? TwitterID.read(status["id"])
        tweet.quotedText = status["extended_tweet"]?["full_text"] ?? status["full_text"] ?? status["text"]
        tweet.quotedAuthor = status["user"]?["screen_name"]
    }

    /// The ids `initial_tweet_id` and `edit_tweet_ids`, as far as present.
    private static func versions(_ history: JSONValue) -> [Int64] {
        let listed = TwitterID.list(history["edit_tweet_ids"])
        guard let initial = TwitterID.read(history["initial_tweet_id"]) else { return listed }
        return [initial] + listed.filter { $0 != initial }
    }
}
