extension Unicode.Scalar {
    /// The plain ASCII spelling of a lower-case letter with stroke or ligature, which Unicode does not decompose (`ß`:
    /// `ss`, `ø`: `o`); nil for every other character.
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
