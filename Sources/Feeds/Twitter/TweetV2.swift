import Reading

/// Reads messages of API v2: elements of `data`, completed from `includes`.
enum TweetV2 {
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

    /// The message of an element of `data`; for a retweet, the original.
    ///
    /// If `includes` lacks the original (deleted, protected), the retweet's shortened text replaces it.
    static func message(_ item: JSONValue, includes: Includes) -> Tweet {
        var listed = Tweet()
        let retweeted = read(item, includes, into: &listed)
        listed.listedID = listed.id
        guard let retweeted else { return listed }
        var tweet = Tweet()
        if let original = includes.tweet(retweeted) {
            _ = read(original, includes, into: &tweet)
        } else {
            tweet.text = listed.text
            tweet.language = listed.language
            tweet.isExcerpt = true
        }
        tweet.id = retweeted
        tweet.listedID = listed.id
        return tweet
    }

    /// Reads the members of one message and returns the id of the retweeted message.
    private static func read(_ item: JSONValue, _ includes: Includes, into tweet: inout Tweet) -> Int64? {
        var note: JSONValue?
        var entities: JSONValue?
        var repliedUser: JSONValue?
        var retweeted: Int64?
        for (key, value) in item.members where !value.isNull {
            switch key {
            case "id": tweet.id = TwitterID.read(value)
            case "text": tweet.text = value
            case "note_tweet": note = value
            case "created_at": tweet.created = value
            case "lang": tweet.language = value
            case "source": tweet.source = value
            case "author_id": tweet.author = includes.user(value).map { TweetAuthor($0) }
            case "in_reply_to_user_id": repliedUser = value
            case "geo":
                tweet.point = value["coordinates"]?["coordinates"]
                if let id = value["place_id"] {
                    // Not every request includes the places. The id alone is still kept.
                    tweet.place = includes.place(id).map { TweetPlace($0) } ?? TweetPlace(id: id)
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
                    switch reference["type"]?.string {
                    case "retweeted": retweeted = id
                    case "replied_to": tweet.repliedID = id
                    case "quoted": tweet.quotedID = id
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
        tweet.repliedAuthor = includes.user(repliedUser)?["username"]
        if let quoted = tweet.quotedID.flatMap({ includes.tweet($0) }) {
            tweet.quotedText = quoted["note_tweet"]?["text"] ?? quoted["text"]
            tweet.quotedAuthor = includes.user(quoted["author_id"])?["username"]
        }
        return retweeted
    }
}
