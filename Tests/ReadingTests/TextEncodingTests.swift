import Foundation
import Testing

@testable import Reading

@Suite struct TextEncodingTests {
    private func text(_ bytes: [UInt8], _ declared: String?) -> String {
        String(decoding: TextEncoding.utf8(Data(bytes), declared: declared), as: UTF8.self)
    }

    @Test func wellFormedTextIsReturnedAsItIs() {
        let text = Data("a é € 𝄞 日本語 and a tail of ASCII".utf8)
        for length in 0...text.count {
            // A text cut within a character is mended at its end.
            let mended = TextEncoding.utf8(text.prefix(length), declared: nil)
            #expect(String(validating: mended, as: UTF8.self) != nil, "cut at \(length)")
        }
        #expect(TextEncoding.utf8(text, declared: "UTF-8") == text)
        #expect(!TextEncoding.decode(text, declared: nil).hasStrayBytes)
    }

    @Test func strayBytesAreWindows1252() {
        let bytes: [UInt8] = [0x53, 0xED, 0x61, 0x92, 0xC3, 0xA9, 0xE2, 0x82, 0x80]
        let decoded = TextEncoding.decode(Data(bytes), declared: "utf-8")
        #expect(String(decoding: decoded.text, as: UTF8.self) == "Sía’é₀")
        #expect(decoded.hasStrayBytes)
        #expect(decoded.name == "utf-8")
        #expect(text([0xC0, 0x80, 0x81], nil) == "À€\u{FFFD}")
        #expect(text([0xED, 0xA0, 0x80], nil) == "í\u{A0}€")
        #expect(text([0xF4, 0x90, 0x80, 0x80], nil) == "ô\u{FFFD}€€")
    }

    @Test func c1ControlsBecomeWhatWindows1252Means() {
        #expect(text([0x61, 0xC2, 0x92, 0xC2, 0xA0, 0xC2, 0x80], nil) == "a’\u{A0}€")
        #expect(text([0x61, 0x92, 0xE9], "ISO-8859-1") == "a’é")
        #expect(text([0x61, 0x92, 0xE9], " Windows-1252 ") == "a’é")
    }

    @Test(
        arguments: [
            ([0xFF, 0xFE, 0x3C, 0x00, 0xE9, 0x00, 0x3D, 0xD8, 0x00, 0xDE], "<é😀"),
            ([0xFE, 0xFF, 0x00, 0x3C, 0x00, 0xE9, 0xD8, 0x3D, 0xDE, 0x00], "<é😀"),
            ([0x3C, 0x00, 0x61, 0x00, 0x00, 0xD8, 0x61, 0x00, 0x62], "<a\u{FFFD}a"),
            ([0x00, 0x3C, 0x00, 0x61], "<a"),
            ([0xFF, 0xFE, 0x00, 0x00, 0x3C, 0x00, 0x00, 0x00, 0x00, 0xF6, 0x01, 0x00, 0x01], "<😀"),
            ([0x00, 0x00, 0x00, 0x3C, 0x00, 0x00, 0x00, 0xE9, 0x00, 0x11, 0x00, 0x00], "<é\u{FFFD}"),
            ([0xEF, 0xBB, 0xBF, 0xC3, 0xA9], "é"),
        ] as [([UInt8], String)]) func marksAndPatternsRuleOverWhatIsDeclared(bytes: [UInt8], expected: String)
    {
        #expect(text(bytes, "iso-8859-1") == expected)
    }

    @Test(
        arguments: [
            ([0x3C, 0xF0, 0xD2, 0xC9, 0xD7, 0xC5, 0xD4], "KOI8-R", "<Привет"),
            ([0x3C, 0x93, 0xFA, 0x96, 0x7B], "Shift_JIS", "<日本"),
            ([0x3C, 0xC6, 0xFC, 0xCB, 0xDC], "euc-jp", "<日本"),
            ([0x3C, 0xD6, 0xD0, 0xB9, 0xFA], "gb2312", "<中国"),
            ([0x3C, 0xA4], "iso-8859-15", "<€"),
            ([0x3C, 0xFD], "iso-8859-9", "<ı"),
            ([0x3C, 0x93, 0xFA, 0x96], "Shift_JIS", "<日\u{FFFD}"),
            ([0x3C, 0xC3, 0xA9], "no-such-encoding", "<é"),
            ([0x3C, 0xC3, 0xA9], "utf-16", "<é"),
            ([0x3C, 0xC3, 0xA9], "IBM037", "<é"),
            ([0x3C, 0xC3, 0xA9], "utf-8//TRANSLIT", "<é"),
        ] as [([UInt8], String, String)]) func otherEncodingsGoThroughIconv(
            bytes: [UInt8], declared: String, expected: String
        )
    {
        #expect(text(bytes, declared) == expected)
    }

    /// The order is: byte order mark, UTF-8 in the bytes, Content-Type, declaration.
    @Test(
        arguments: [
            ([0xC7, 0xE5, 0xEC, 0xEB, 0xFF], "WINDOWS-1251", nil, "Земля"),
            ([0xC7, 0xE5, 0xEC, 0xEB, 0xFF], "windows-1251", "iso-8859-1", "Земля"),
            ([0xC7, 0xE5, 0xEC, 0xEB, 0xFF], "windows-1251", "utf-8", "Земля"),
            ([0x3C, 0xD6, 0xD0, 0xB9, 0xFA], "gbk", nil, "<中国"),
            ([0xC3, 0xA3, 0x6F], "utf-8", "ISO-8859-1", "ão"),
            ([0xC3, 0xA3, 0x6F], nil, "ISO-8859-1", "ão"),
            ([0xC3, 0xA3, 0x6F], "gbk", nil, "ão"),
            ([0xEF, 0xBB, 0xBF, 0xE9], "windows-1251", nil, "é"),
            ([0x3C, 0xD6, 0xD0, 0xB9, 0xFA], "utf-8", "gb2312", "<中国"),
            ([0xC3, 0xA3, 0xE9], "utf-8", "ISO-8859-1", "ãé"), ([0xC3, 0xA3, 0xE9], "ISO-8859-1", "utf-8", "ãé"),
            ([0xE9], "no-such-encoding", "koi8-r", "И"),
        ] as [([UInt8], String?, String?, String)]) func contentTypeComesBeforeTheDeclaration(
            bytes: [UInt8], charset: String?, declared: String?, expected: String
        )
    {
        let decoded = TextEncoding.decode(Data(bytes), charset: charset, declared: declared)
        #expect(String(decoding: decoded.text, as: UTF8.self) == expected)
    }

    // MARK: In XML

    @Test(
        arguments: [
            ("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><r/>", "ISO-8859-1"),
            ("\n <?xml version='1.0' encoding = 'koi8-r' ?><r/>", "koi8-r"),
            ("<?xml version='1.0'?><r encoding='x'/>", nil),
            ("<r/>", nil), ("<?xml encoding=", nil), ("", nil),
        ] as [(String, String?)]) func theDeclarationIsRead(text: String, expected: String?)
    {
        #expect(XMLReader.declaredEncoding(of: Data(text.utf8)) == expected)
    }

    @Test func aDocumentTellsHowItWasRead() throws {
        var data = Data("<?xml version='1.0' encoding='UTF-8'?><r a='".utf8)
        data.append(contentsOf: [0x92])
        data.append(contentsOf: Data("'>Sof".utf8))
        data.append(contentsOf: [0xED])
        data.append(contentsOf: Data("a</r>".utf8))
        let document = try XMLReader.read(data)
        #expect(document.root.text == "Sofía")
        #expect(document.root.attribute("a") == "’")
        #expect(document.encoding == "utf-8")
        #expect(document.problems.count == 1)
    }

    @Test func aWideDocumentIsRead() throws {
        var data = Data([0xFE, 0xFF])
        for unit in "<?xml version=\"1.0\" encoding=\"UTF-16\"?>\n<r>é</r>".utf16 {
            data.append(contentsOf: [UInt8(unit >> 8), UInt8(unit & 0xFF)])
        }
        let document = try XMLReader.read(data)
        #expect(document.root.text == "é")
        #expect(document.encoding == "utf-16be")
        #expect(document.problems.isEmpty)
    }
}
