/// Sets of words in many languages that a keyword names: `@earthquake` stands for `earthquake*`, `terremoto*`, `地震` and
/// others.
///
/// A set that has been shipped is never edited, since files mean its words. A better one has a name of its own, such as
/// `@earthquake2`.
public enum WordSet {
    /// The names, in alphabetical order.
    public static let names = sets.keys.sorted()

    /// The words of a set, each in the form of a keyword; nil if no set has the name.
    public static func words(of name: String) -> [String]? { sets[name] }

    /// Whether a keyword looks like the name of a set, and is none.
    public static func isUnknown(_ keyword: String) -> Bool {
        keyword.hasPrefix("@") && !keyword.hasPrefix("@@") && sets[keyword] == nil
    }

    /// The word that a keyword means which is no set: `@quakebot` for `@@quakebot`.
    public static func word(_ keyword: String) -> String {
        keyword.hasPrefix("@@") ? String(keyword.dropFirst()) : keyword
    }

    private static let sets = [
        "@earthquake": words(in: earthquake), "@tsunami": words(in: tsunami), "@volcano": words(in: volcano),
    ]

    /// The words of lines such as `en: earthquake*, quake`.
    private static func words(in table: String) -> [String] {
        table.split(separator: "\n").flatMap { line in
            line.drop { $0 != ":" }.dropFirst().split(separator: ",").map { String($0.drop { $0 == " " }) }
        }
    }
}
