import Reading

/// What a response says about one message, in words that both APIs share; read by `TweetV1` and `TweetV2`, not yet
/// checked. Valid only as long as the parsed document.
struct Tweet {
    /// The message's own id: of a retweet, the id of the original.
    var id: Int64?
    /// The id of the item in the response: of a retweet, the id of the retweet.
    var listedID: Int64?
    /// Ids of all versions of an edited message, oldest first; empty when nothing is said of edits.
    var versions: [Int64] = []
    /// When this version was written.
    var created: JSONValue?
    var text: JSONValue?
    var language: JSONValue?
    var author: TweetAuthor?
    /// Two numbers: the point the message was sent from.
    var point: JSONValue?
    /// Whether `point` is latitude, longitude (v1.1 `geo`) instead of longitude, latitude.
    var isLatitudeFirst = false
    var place: TweetPlace?
    /// An array of objects with `text` (v1.1) or `tag` (v2).
    var hashtags: JSONValue?
    /// An array of objects with `expanded_url`.
    var urls: JSONValue?
    var source: JSONValue?
    var isSensitive: Bool?
    var retweets: JSONValue?
    var favourites: JSONValue?
    var replies: JSONValue?
    var quotes: JSONValue?
    /// The message it answers.
    var repliedID: Int64?
    var repliedAuthor: JSONValue?
    /// The message it quotes.
    var quotedID: Int64?
    var quotedText: JSONValue?
    var quotedAuthor: JSONValue?
    /// Whether `text` is only what a retweet repeats of a message that the response does not contain.
    var isExcerpt = false
}

/// The account that wrote a message.
struct TweetAuthor {
    /// The account's name without `@`.
    var screenName: JSONValue?
    /// The name it shows.
    var name: JSONValue?
    /// Where it says it is, in free text.
    var location: JSONValue?
    var picture: JSONValue?

    /// Reads a user of either API; keys are told apart by length first, since a v1.1 user has some forty.
    init(_ user: JSONValue) {
        for (key, value) in user.members where !value.isNull {
            switch key.utf8.count {
            case 4: if key == "name" { name = value }
            case 8: if key == "location" { location = value } else if key == "username" { screenName = value }
            case 11: if key == "screen_name" { screenName = value }
            case 17: if key == "profile_image_url", picture == nil { picture = value }
            case 23: if key == "profile_image_url_https" { picture = value }
            default: break
            }
        }
    }
}
