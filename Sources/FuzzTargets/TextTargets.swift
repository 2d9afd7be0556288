import Foundation
import Reading

extension FuzzTarget {
    /// Targets for readers of texts.
    static let texts: [FuzzTarget] = [
        FuzzTarget("html", seeds: ["rss/*.xml", "usgs/*.html"]) { data in
            try checkHTML(String(decoding: data, as: UTF8.self))
        },
        FuzzTarget("dates", seeds: []) { data in
            for line in String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline) {
                try checkDate(String(line))
            }
        },
        FuzzTarget("json", seeds: ["usgs/*", "twitter/*", "mapquest/*.json", "nominatim/*.json"]) { data in
            try checkJSON(data)
        },
        FuzzTarget("encodings", seeds: ["cap/*.xml", "volcanoes/*.csv", "cities/*.txt"]) { data in
            try checkEncoding(data)
        },
    ]

    // MARK: HTML and addresses

    private static func checkHTML(_ html: String) throws(BrokenInvariant) {
        for (name, text) in [("plain", HTMLText.plain(html)), ("cleaned", HTMLText.cleaned(html))] where !text.isEmpty {
            try TextCheck.check(text, name, atMost: 1 << 40)
            let isTrimmed = text.first != " " && text.last != " " && !text.contains("  ")
            try hold(isTrimmed, "\(name) has white space to spare: \(quoted(text))")
            let turning = text.unicodeScalars.first { TextCheck.isTurning($0) }
            try hold(turning == nil, "\(name) turns the direction of text: \(quoted(text))")
            try hold(HTMLText.cleaned(text) == text, "\(name) is not clean: \(quoted(text))")
            for limit in [1, 10, 80] {
                let cut = HTMLText.bounded(text, limit)
                try hold(cut.unicodeScalars.count <= limit, "\(name) cut to \(limit) is \(quoted(cut))")
            }
        }
        _ = HTMLText.decodingEntities(html)
        for link in HTMLText.links(html) + HTMLText.images(html) + [html] {
            try checkAddress(link)
        }
    }

    private static func checkAddress(_ reference: String) throws(BrokenInvariant) {
        let own = HTMLText.webURL(reference)
        let resolved = HTMLText.absolute(reference, base: "https://example.org/a/b?c#d")
        for (name, address) in [("webURL", own), ("absolute", resolved)] {
            try TextCheck.check(address: address, name)
            try hold(address == nil || HTMLText.webURL(address) == address, "\(name) changes \(quoted(address ?? ""))")
        }
    }

    // MARK: Dates

    private static func checkDate(_ text: String) throws(BrokenInvariant) {
        let readings = [
            ("any", DateReader.any(text)), ("rfc3339", DateReader.rfc3339(text)), ("rfc822", DateReader.rfc822(text)),
            ("twitter", DateReader.twitter(text)),
        ]
        for case (let name, let date?) in readings {
            let seconds = date.timeIntervalSince1970
            // The years 1 to 9999, a day wider for time zones.
            let isInRange = seconds >= -62_135_596_800 - 86_400 && seconds <= 253_402_300_800 + 86_400
            try hold(isInRange, "\(name) reads \(quoted(text)) as \(seconds)")
        }
        // Texts of more than 200 bytes are not read as dates.
        if text.utf8.count < 190 {
            let spaced = DateReader.any(" \(text)\n")
            try hold(DateReader.any(text) == spaced, "white space changes the date \(quoted(text))")
        }
        if let number = NumberReader.double(text) {
            try hold(number.isFinite, "\(quoted(text)) is the number \(number)")
        }
    }

    // MARK: JSON

    /// A document must stay the same when it is written and read again, and must give the same elements one by one as
    /// in one go.
    private static func checkJSON(_ data: Data) throws(BrokenInvariant) {
        let parser = JSONParser()
        guard let whole = text(of: data, parser) else { return }
        let hasMended = parser.hasMended
        try hold(text(of: Data(whole.utf8), parser) == whole, "written, it reads as another: \(quoted(whole))")
        try hold(!parser.hasMended, "written, it must be mended: \(quoted(whole))")

        let single = JSONParser.withElements(
            of: "features", in: data, limit: data.count, collectedIn: { _ in [String]() },
            each: { found, element, _ in found.append(element.text) }, rest: { found, _ in found })
        guard let single else { return }
        try hold(!hasMended, "what must be mended is read an element at a time")
        let elements = try? JSONParser().withValue(of: data) { root throws(ReadingError) -> [String] in
            root["features"]?.elements.map { $0.text } ?? []
        }
        try hold(single == elements, "\(single.count) elements one by one, \(elements?.count ?? 0) as a whole")
    }

    private static func text(of data: Data, _ parser: JSONParser) -> String? {
        do throws(ReadingError) {
            return try parser.withValue(of: data) { root throws(ReadingError) in root.text }
        } catch {
            return nil
        }
    }

    // MARK: Encodings

    /// The first line of the input names the encoding; the rest is the text.
    private static func checkEncoding(_ data: Data) throws(BrokenInvariant) {
        let name = data.prefix { $0 != UInt8(ascii: "\n") }
        let rest = Data(data.dropFirst(name.count + 1))
        for (declared, bytes) in [(String(decoding: name, as: UTF8.self), rest), (nil, data)] as [(String?, Data)] {
            let text = TextEncoding.utf8(bytes, declared: declared)
            try hold(String(data: text, encoding: .utf8) != nil, "what \(declared ?? "no name") gives is not UTF-8")
            // One byte of TSCII gives up to three characters of three bytes.
            try hold(text.count <= 16 * bytes.count + 16, "\(bytes.count) bytes have become \(text.count)")
            let scalars = String(decoding: text, as: UTF8.self).unicodeScalars
            let control = scalars.first { (0x80..<0xA0).contains($0.value) }
            try hold(control == nil, "the text has the control character \(control?.value ?? 0)")
            try hold(TextEncoding.utf8(bytes, declared: declared) == text, "the same bytes give another text")
        }
    }
}
