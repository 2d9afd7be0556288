import Testing

@testable import Reading

@Suite struct HTMLTextTests {
    @Test(
        arguments: [
            ("", ""), ("plain", "plain"), ("  a \n\t b  ", "a b"), ("<p>One</p><p>Two</p>", "One Two"),
            ("a<br>b<br/>c<BR />d", "a b c d"), ("<b>bo</b>ld", "bold"), ("<td>1</td><td>2</td>", "1 2"),
            ("caf&eacute; &amp; cr&egrave;me", "café & crème"), ("&lt;b&gt;", "<b>"), ("&amp;lt;", "&lt;"),
            ("&#8217;&#x2019;&#146;&rsquo;", "’’’’"), ("a&nbsp;&nbsp;b", "a b"), ("&#39 x", "' x"),
            ("AT&T &copy &unknown; &;", "AT&T &copy &unknown; &;"), ("a&#1;b&#0;", "ab\u{FFFD}"),
            ("<script>alert('<p>')</script>text", "text"), ("<STYLE>p{}</STYLE >text", "text"),
            ("a<script>never closed", "a"), ("<style>never <b>", ""), ("<script src='x'/>text", "text"),
            ("<!-- gone <b> -->text", "text"),
            ("a<!-- never closed", "a"), ("a<!-- never > closed", "a closed"), ("<!-->x", "x"),
            ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"), ("a <b", "a <b"), ("a <b <i>c</i>", "a <b c"), ("<", "<"),
            ("</", "</"),
            ("<john@example.org>", "<john@example.org>"), ("<http://example.org/>", "<http://example.org/>"),
            ("<a title=\"x > y\">z</a>", "z"), ("<a href='x>z", "<a href='x>z"),
            ("<a href=\"x>y</a> \"z\"", "<a href=\"x>y \"z\""),
            ("<!DOCTYPE html><html><title>T</title><p>x", "T x"), ("<![CDATA[x <b>y</b>]]> z", "x y z"),
            ("a ]]> b", "a ]]> b"),
            ("<o:p>x</o:p>", "x"), ("<?xml version=\"1.0\"?>x", "x"), ("\u{FEFF}a\u{200E}\u{85}b\u{7}", "a\u{200E} b"),
            ("日本語<br>テスト　です", "日本語 テスト です"), ("<img src=x alt='y'>z", "z"),
        ] as [(String, String)]) func plain(html: String, expected: String)
    {
        #expect(HTMLText.plain(html) == expected)
    }

    @Test(
        arguments: [
            ("none", "none"), ("&quot;&apos;&#34;", "\"'\""), ("&amp;eacute;", "&eacute;"), ("  &lt;  ", "  <  "),
            ("&thetasym;&Alpha;&euro;&AMP;", "ϑΑ€&"), ("&#xD800;&#1114112;&#99999999999;", "\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("&#55357;&#56832; &#xD83D;&#XDE00;&#55357&#xde01", "😀 😀😁"),
            ("&#56832;&#55357; &#55357;&#55357;&#56832;", "\u{FFFD}\u{FFFD} \u{FFFD}😀"),
            ("&", "&"), ("&#", "&#"), ("&#x", "&#x"), ("&#;", "&#;"), ("&EACUTE;", "&EACUTE;"),
            ("?a=1&copy=2", "?a=1&copy=2"),
        ] as [(String, String)]) func entitiesAreDecodedOnce(text: String, expected: String)
    {
        #expect(HTMLText.decodingEntities(text) == expected)
    }

    @Test func textIsCleaned() {
        #expect(HTMLText.cleaned(" a\u{0}\u{1B}[31m\r\n\u{A0}b\u{2028}c \u{3000}") == "a[31m b c")
        #expect(HTMLText.cleaned("<b>&amp;</b>") == "<b>&amp;</b>")
        #expect(HTMLText.cleaned("é€😀ＡＢ") == "é€😀ＡＢ")
        #expect(HTMLText.cleaned(" \n") == "")
        #expect(HTMLText.cleaned("a\u{A0}\u{A0}") == "a")
    }

    @Test func whatTurnsTextRoundOrCannotBeSeenGoes() {
        #expect(HTMLText.cleaned("a\u{202E}b\u{2066}c\u{2069}\u{202A}d\u{202C}") == "abcd")
        #expect(HTMLText.cleaned("\u{FEFF}\u{200B} \u{200B}") == "")
        #expect(HTMLText.plain("<b>\u{202D}x</b>&#x202E;y") == "xy")
    }

    @Test func textIsBoundedBetweenCharacters() {
        #expect(HTMLText.bounded("abc", 3) == "abc")
        #expect(HTMLText.bounded("abcd", 3) == "ab…")
        #expect(HTMLText.bounded("日本語", 3) == "日本語")
        #expect(HTMLText.bounded("abe\u{301}d", 4) == "ab…")
        #expect(HTMLText.bounded("abcd", 1) == "…")
        #expect(HTMLText.bounded("abcd", 0) == "")
        #expect(HTMLText.bounded("a" + String(repeating: "\u{301}", count: 100_000), 1000).unicodeScalars.count <= 1000)
    }

    @Test(
        arguments: [
            (" de-AT\n", "de-AT"), ("en", "en"), ("x", nil), ("en us", nil), ("d\u{E9}", nil), (nil, nil),
            (String(repeating: "a", count: 36), nil),
        ] as [(String?, String?)]) func languageTags(text: String?, expected: String?)
    {
        #expect(HTMLText.language(text) == expected)
    }

    @Test func linksAreFound() {
        let html = """
            <a href="http://a.example/?x=1&amp;y=2">a</a> <A class=b HREF = 'http://b.example/' target=_blank>b</A>
            <a name=top>no</a> <abbr href="http://no.example/">no</abbr> <a href=http://c.example/d>c</a>
            <a href="">no</a>
            <!-- <a href="http://no.example/">no</a> --> <a data-href="no" href=" /relative ">d</a> <a href="unclosed
            """
        #expect(
            HTMLText.links(html) == [
                "http://a.example/?x=1&y=2", "http://b.example/", "http://c.example/d", "/relative",
            ])
    }

    @Test(
        arguments: [
            ("http://example.org", "http://example.org"),
            (" HTTPS://Example.org/a?b&amp;c#d\n", "HTTPS://Example.org/a?b&amp;c#d"),
            ("http://example.org/a b\nc", "http://example.org/a%20bc"), ("http://[::1]/", "http://[::1]/"),
            ("https://日本.example/", "https://日本.example/"), (nil, nil), ("", nil), ("http://", nil),
            ("https:///path", nil),
            ("javascript:alert(1)", nil), ("java\nscript:alert(1)", nil), ("data:text/html,x", nil),
            ("ftp://example.org/", nil), ("//example.org/", nil), ("/relative", nil), ("example.org", nil),
            ("http:example.org", nil), ("xhttp://a", nil),
            ("http://e.org/\"<b>\\", "http://e.org/%22%3Cb%3E%5C"),
            ("http://e.org/a\u{1}b\u{202E}c\u{85}", "http://e.org/a%01b%E2%80%AEc%C2%85"),
            ("http://me@e.org/", nil), ("http://me:x@e.org/", nil), ("http://e.org\\@f.org/", nil),
            ("http://e .org/", nil),
            ("http://e.org:80/", "http://e.org:80/"), ("http://e.org:0/", nil), ("http://e.org:65536/", nil),
            ("http://e.org:8x/", nil), ("http://e.org:/", "http://e.org:/"),
            ("http://[::1]:8080/", "http://[::1]:8080/"),
            ("http://[fe80::1%25eth0]/", nil), ("http://[::1", nil), ("http://[]/", nil),
            ("http://e.org/@a:b", "http://e.org/@a:b"),
            (String(repeating: "http://e.org/", count: 700), nil),
        ] as [(String?, String?)]) func webURLs(text: String?, expected: String?)
    {
        #expect(HTMLText.webURL(text) == expected)
    }

    /// The examples of RFC 3986 §5.4 whose targets are web addresses.
    @Test(
        arguments: [
            ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
            ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q#s"),
            ("g#s", "http://a/b/c/g#s"), (";x", "http://a/b/c/;x"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"),
            ("..", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../../g", "http://a/g"),
            ("/../g", "http://a/g"), ("g/./h", "http://a/b/c/g/h"), ("g;x=1/../y", "http://a/b/c/y"),
            ("g?y/../x", "http://a/b/c/g?y/../x"), ("g:h", nil), ("", nil), ("two words", nil), ("java\nscript:x", nil),
            ("https://b.example/x", "https://b.example/x"), ("//me@g/", nil),
        ] as [(String, String?)]) func referencesAreResolved(reference: String, expected: String?)
    {
        #expect(HTMLText.absolute(reference, base: "http://a/b/c/d;p?q") == expected)
    }

    @Test func aReferenceNeedsABaseThatIsAWebAddress() {
        #expect(HTMLText.absolute("/g", base: nil) == nil)
        #expect(HTMLText.absolute("/g", base: "file:/a/b") == nil)
        #expect(HTMLText.absolute("g", base: "http://a") == "http://a/g")
        #expect(HTMLText.absolute("http://b/", base: nil) == "http://b/")
    }

    /// A quadratic reader would take many minutes for these.
    @Test(
        .timeLimit(.minutes(60)),
        arguments: [
            "<a ", "<a \"", "<a \"'", "<!--", "<script>", "<![CDATA[", "&#1", "&a",
            "<a href=\"x\" ", "]]>", "</",
        ])
    func hostileTextTakesLinearTime(piece: String) {
        let text = String(repeating: piece, count: 500_000 / piece.utf8.count)
        #expect(HTMLText.plain(text).utf8.count <= text.utf8.count)
        #expect(HTMLText.links(text).isEmpty)
    }
}
