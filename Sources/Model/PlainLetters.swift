extension Unicode.Scalar {
    /// The plain spelling of a lower-case letter with stroke or ligature, which Unicode does not decompose; else nil.
    public var plainLetters: StaticString? {
        switch self {
        case "ß": "ss"
        case "æ": "ae"
        case "œ": "oe"
        case "ø": "o"
        case "ð", "đ": "d"
        case "þ": "th"
        case "ł": "l"
        case "ı": "i"
        case "ħ": "h"
        case "ə": "a"
        default: nil
        }
    }
}
