import Reading

/// Reads messages of API v2: elements of `data`, completed from `includes`.
///
/// A flattened message (twarc) stands alone, with the objects of `includes` inside: `author`, `in_reply_to_user`, the
/// place in `geo`, and whole messages in `referenced_tweets`.
enum TweetV2 {
    /// Whether an object outside of `data` is a message of API v2. Statuses of v1.1 have none of these members.
    static func isMessage(_ item: JSONValue) -> Bool {
        for (key, _) in item.members {
            switch key {
            case "author_id", "edit_history_tweet_ids", "note_tweet", "public_metrics", "referenced_tweets":
                return true
            default: continue
            }
        }
        return false
    }

    /// The objects of `includes` by id; empty when the response has none.
    struct Includes {
        private var users: [Int64: JSONValue] = [:]
        private var tweets: [Int64: JSONValue] = [:]
        private var places: [String: JSONValue] = [:]

        init(_ includes: JSONValue?) {
            guard let includes else { return }
            for (key, list) in includes.members {
                switch key {
                case "users":
                    for user in list.elements { if let id = TwitterID.read(user["id"]) { users[id] = user } }
                case "tweets":
                    for tweet in list.elements { if let id = TwitterID.read(tweet["id"]) { tweets[id] = tweet } }
                case "places":
                    for place in list.elements { if let id = place["id"]?.string { places[id] = place } }
                default: break
                }
            }
        }

        func user(_ id: JSONValue?) -> JSONValue? { TwitterID.read(id).flatMap { users[$0] } }
        func tweet(_ id: Int64) -> JSONValue? { tweets[id] }
        func place(_ id: JSONValue) -> JSONValue? { id.string.flatMap { places[$0] } }
    }

    /// The message of an element of `data`, or of a flattened one; for a retweet, the original.
    ///
    /// If the response lacks the original (deleted, protected), the retweet's shortened text replaces it.
    static func message(_ item: JSONValue, includes: Includes) -> Tweet {
        var listed = Tweet()
        let retweeted = read(item, includes, into: &listed)
        listed.listedID = listed.id
        guard let retweeted else { return listed }
        var tweet = Tweet()
        if let original = retweeted.whole {
            _ = read(original, includes, into: &tweet)
        } else {
            tweet.text = listed.text
            tweet.language = listed.language
            tweet.isExcerpt = true
        }
        tweet.id = retweeted.id
        tweet.listedID = listed.id
        return tweet
    }

    /// Reads the members of one message and returns the retweeted message, whole if the response has it.
    private static func read(
        _ item: JSONValue, _ includes: Includes, into tweet: inout Tweet
    ) -> (id: Int64, whole: JSONValue?)? {
        var note: JSONValue?
        var entities: JSONValue?
        var author: JSONValue?
        var repliedUser: JSONValue?
        var quoted: JSONValue?
        var retweeted: (id: Int64, whole: JSONValue?)?
        for (key, value) in item.members where !value.isNull {
            switch key {
            case "id": tweet.id = TwitterID.read(value)
            case "text": tweet.text = value
            case "note_tweet": note = value
            case "created_at": tweet.created = value
            case "lang": tweet.language = value
            case "source": tweet.source = value
            case "author": author = author ?? value
            case "author_id": author = includes.user(value) ?? author
            case "in_reply_to_user": repliedUser = repliedUser ?? value
            case "in_reply_to_user_id": repliedUser = includes.user(value) ?? repliedUser
            case "geo":
                tweet.point = value["coordinates"]?["coordinates"]
                if let id = value["place_id"] {
                    // Not every request includes the places. The id alone is still kept.
                    let inside = value["full_name"] == nil ? nil : value
                    tweet.place = (includes.place(id) ?? inside).map { TweetPlace($0) } ?? TweetPlace(id: id)
                }
            case "entities": entities = value
            case "public_metrics":
                tweet.retweets = value["retweet_count"]
                tweet.favourites = value["like_count"]
                tweet.replies = value["reply_count"]
                tweet.quotes = value["quote_count"]
            case "possibly_sensitive": tweet.isSensitive = value.bool
            case "edit_history_tweet_ids": tweet.versions = TwitterID.list(value)
            case "referenced_tweets":
                for reference in value.elements {
                    guard let id = TwitterID.read(reference["id"]) else { continue }
                    let whole = includes.tweet(id) ?? (reference["text"] == nil ? nil : reference)
                    switch reference["type"]?.string {
                    case "retweeted": retweeted = (id, whole)
                    case "replied_to": tweet.repliedID = id
                    case "quoted":
                        tweet.quotedID = id
                        quoted = whole
                    default: break
                    }
                }
            default: break
            }
        }
        // In long messages `text` ends in an ellipsis; `note_tweet` has the whole text and its entities.
        tweet.text = note?["text"] ?? tweet.text
        let lists = note?["entities"] ?? entities
        tweet.hashtags = lists?["hashtags"]
        tweet.urls = lists?["urls"]
        tweet.author = author.map { TweetAuthor($0) }
        tweet.repliedAuthor = repliedUser?["username"]
        if let quoted {
            tweet.quotedText = quoted["note_tweet"]?["text"] ?? quoted["text"]
            tweet.quotedAuthor = (includes.user(quoted["author_id"]) ?? quoted["author"])?["username"]
        }
        return retweeted
    }
}
