import Reading

/// One message of a response, as unchecked JSON values in terms of both APIs. `TweetV1` and `TweetV2` fill it. It is
/// valid only as long as the parsed document.
struct Tweet {
    /// The message's id; for a retweet, the id of the original.
    var id: Int64?
    /// The id of the item in the response; for a retweet, the id of the retweet.
    var listedID: Int64?
    /// Ids of all versions of an edited message, oldest first; empty without information on edits.
    var versions: [Int64] = []
    /// The time at which this version was written.
    var created: JSONValue?
    var text: JSONValue?
    var language: JSONValue?
    var author: TweetAuthor?
    /// Two numbers: the point from which the message was sent.
    var point: JSONValue?
    /// Whether `point` is latitude, longitude (v1.1 `geo`) rather than longitude, latitude.
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
    /// The id of the message that this one answers.
    var repliedID: Int64?
    var repliedAuthor: JSONValue?
    /// The id of the quoted message.
    var quotedID: Int64?
    var quotedText: JSONValue?
    var quotedAuthor: JSONValue?
    /// Whether `text` is only a retweet's excerpt of a message that the response lacks.
    var isExcerpt = false
}

/// The author's account.
struct TweetAuthor {
    /// The user name without `@`.
    var screenName: JSONValue?
    /// The display name.
    var name: JSONValue?
    /// The location from the profile, free text.
    var location: JSONValue?
    var picture: JSONValue?

    /// Reads a user of either API. Keys are compared by length first, since a v1.1 user has some forty.
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
