extension Unicode.Scalar {
    /// What a letter in lower case that Unicode does not decompose is commonly written as without its stroke or ligature;
    /// nil for all other characters.
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
