import Foundation
import Settings
import TestSupport
import Testing

@Suite struct SettingsEditTests {
    /// The text after changes of the source `quakes`.
    private func edited(_ text: String, _ changes: String..., source: String = "quakes") throws -> String {
        let all = try changes.map { try #require(SettingsEdit.Change($0)) }
        return try SettingsEdit(source: source, changes: all).applied(to: text, file: "v.yaml", kinds: TestKinds.all)
    }

    /// The refusal of a change of the source `quakes`, in one line.
    private func refusal(_ text: String, _ change: String, source: String = "quakes") throws -> String {
        let errors = try #require(throws: SettingsErrors.self) { try edited(text, change, source: source) }
        return errors.description
    }

    private static let file = """
        # The file of a test.
        contact: you@example.org   # whom to write to

        sources:
          # The first one.
          - name: news
            kind: rss
            url: https://example.org/{topic}
            topics:
              - world
              - science
            keywords: [volcan*, "New Delhi, India"]   # of two sorts
          - name: quakes
            kind: usgs
            refresh_interval:   300s      # each five minutes
            # minimum_magnitude: 2.5
            max_age: '3d'

          - kind: twitter
            name: messages
            query: "(volcano OR \\"quake\\") -is:retweet" # quoted

        """

    // MARK: - Values

    @Test(arguments: [
        ("refresh_interval=10m", "refresh_interval:   300s ", "refresh_interval:   10m "),
        ("max_age=7d", "max_age: '3d'\n", "max_age: 7d\n"),
    ]) func onlyTheBytesOfAValueChange(change: String, old: String, new: String) throws {
        #expect(try edited(Self.file, change) == Self.file.replacingOccurrences(of: old, with: new))
    }

    @Test func theSameValueChangesNothing() throws {
        #expect(try edited(Self.file, "refresh_interval=300s") == Self.file)
        #expect(try edited(Self.file, "minimum_magnitude=") == Self.file)
    }

    @Test func quotesAreWrittenWhereTheyAreNeeded() throws {
        let old = "\"(volcano OR \\\"quake\\\") -is:retweet\" # quoted"
        for (value, written) in [
            ("volcano", "volcano"), ("(volcano OR quake) -is:retweet", "\"(volcano OR quake) -is:retweet\""),
            ("#earthquake", "\"#earthquake\""), ("a: b", "\"a: b\""), ("null", "\"null\""), (" a", "\" a\""),
            ("a\\b\"c\n", "\"a\\\\b\\\"c\\n\""), ("地震", "地震"), ("🌋", "\"🌋\""), ("[a]", "\"[a]\""),
            ("a\u{85}\u{7}", "\"a\\u0085\\u0007\""),
        ] {
            let text = try edited(Self.file, "query=\(value)", source: "messages")
            #expect(text == Self.file.replacingOccurrences(of: old, with: written + " # quoted"), "\(value)")
            #expect(try readSettings(text).sources.last?.options["query"]?.text == value)
        }
    }

    @Test func numbersAndFlagsStayPlain() throws {
        let text = try edited(Self.file, "minimum_magnitude=-0.5", "enabled=false", "follow_server_interval=true")
        let source = try readSettings(text).sources[1]
        #expect(source.filter.minimumMagnitude == -0.5)
        #expect(!source.isEnabled && source.followsServerInterval)
    }

    // MARK: - Lists

    @Test func aListKeepsItsForm() throws {
        let brackets = try edited(Self.file, "keywords=[erupt*, \"a, b\", \"#x\"]", source: "news")
        #expect(
            brackets
                == Self.file.replacingOccurrences(
                    of: "[volcan*, \"New Delhi, India\"]", with: "[erupt*, \"a, b\", \"#x\"]"))
        let sets = try edited(Self.file, "keywords=[@earthquake, flood*, @@bot]", source: "news")
        #expect(
            sets
                == Self.file.replacingOccurrences(
                    of: "[volcan*, \"New Delhi, India\"]", with: "[\"@earthquake\", flood*, \"@@bot\"]"))
        let blanks = try edited(Self.file, "keywords=[ @earthquake , fire , @@bot ]", source: "news")
        #expect(
            blanks
                == Self.file.replacingOccurrences(
                    of: "[volcan*, \"New Delhi, India\"]", with: "[\"@earthquake\", fire, \"@@bot\"]"))
        let phrase = try edited(
            Self.file, "keywords=[@earthquake, \"a, @b\", 'New Delhi, India', it's , @tsunami]", source: "news")
        #expect(
            phrase
                == Self.file.replacingOccurrences(
                    of: "[volcan*, \"New Delhi, India\"]",
                    with: "[\"@earthquake\", \"a, @b\", \"New Delhi, India\", \"it's\", \"@tsunami\"]"))
        let lines = try edited(Self.file, "topics=[world, \"a b\", art]", source: "news")
        #expect(
            lines
                == Self.file.replacingOccurrences(
                    of: "      - world\n      - science\n", with: "      - world\n      - a b\n      - art\n"))
        let places = try edited(Self.file, "not_places=[Ändå, New York]", source: "news")
        #expect(try readSettings(places).sources[0].notPlaces == ["Ändå", "New York"])
        let single = try edited(Self.file, "topics=world", source: "news")
        #expect(
            single
                == Self.file.replacingOccurrences(
                    of: "topics:\n      - world\n      - science\n", with: "topics: world\n"))
    }

    @Test func aListOfSeveralLinesInBracketsComesOnOne() throws {
        let head = "sources:\n  - name: quakes\n    kind: usgs\n    keywords: "
        let text = head + "[a,\n      'b''c',\n      \"d\"\n      ] # end\n"
        #expect(try edited(text, "keywords=[x]") == head + "[x] # end\n")
    }

    @Test func dashesNeedNoIndent() throws {
        let text = "sources:\n- name: quakes\n  kind: usgs\n  keywords:\n  - a\n  - b\n- name: more\n  kind: usgs\n"
        #expect(
            try edited(text, "keywords=[c]")
                == "sources:\n- name: quakes\n  kind: usgs\n  keywords:\n  - c\n- name: more\n  kind: usgs\n")
    }

    @Test(arguments: ["keywords=[a", "keywords=[a, [b]]", "keywords=[a, ~]"])
    func whatIsNoListOfTextsIsRefused(change: String) throws {
        #expect(try refusal(Self.file, change, source: "news").contains("accepted: a list such as [a, b], or one text"))
    }

    // MARK: - Lines

    @Test func aNewKeyIsALineInTheIndentOfItsSource() throws {
        #expect(
            try edited(Self.file, "minimum_magnitude=4.5")
                == Self.file.replacingOccurrences(
                    of: "    max_age: '3d'\n", with: "    max_age: '3d'\n    minimum_magnitude: 4.5\n"))
        #expect(
            try edited(Self.file, "offset=5m", source: "news")
                == Self.file.replacingOccurrences(of: "# of two sorts\n", with: "# of two sorts\n    offset: 5m\n"))
    }

    @Test func aTextWithoutAnEndOfLineAndWithOtherEndsKeepsThem() throws {
        #expect(
            try edited("sources:\n  - name: quakes\n    kind: usgs", "offset=1m")
                == "sources:\n  - name: quakes\n    kind: usgs\n    offset: 1m")
        #expect(
            try edited("\u{FEFF}sources:\r\n  - name: quakes\r\n    kind: usgs\r\n", "offset=1m")
                == "\u{FEFF}sources:\r\n  - name: quakes\r\n    kind: usgs\r\n    offset: 1m\r\n")
        #expect(
            try edited("sources:\r  - name: quakes\r    kind: usgs\r", "offset=1m")
                == "sources:\r  - name: quakes\r    kind: usgs\r    offset: 1m\r")
    }

    @Test func aKeyGoesWithItsLine() throws {
        let line = "    refresh_interval:   300s      # each five minutes\n"
        #expect(try edited(Self.file, "refresh_interval=") == Self.file.replacingOccurrences(of: line, with: ""))
        #expect(
            try edited(Self.file, "topics=", source: "news")
                == Self.file.replacingOccurrences(of: "    topics:\n      - world\n      - science\n", with: ""))
    }

    @Test func anEmptyValueIsFilled() throws {
        let text = "sources:\n  - name: quakes\n    kind: usgs\n    offset:   # none\n"
        #expect(try edited(text, "offset=1m") == text.replacingOccurrences(of: "offset:", with: "offset: 1m"))
    }

    // MARK: - Braces

    @Test func bracesOnOneLineAreEdited() throws {
        let text = #"{"sources": [{"name": "quakes", "kind": "usgs", "offset":"1m", "max_age": "1d"}]}"#
        #expect(try edited(text, "offset=2m") == text.replacingOccurrences(of: #":"1m""#, with: ": 2m"))
        #expect(try edited(text, "offset=") == text.replacingOccurrences(of: #""offset":"1m", "#, with: ""))
        #expect(try edited(text, "max_age=") == text.replacingOccurrences(of: #", "max_age": "1d""#, with: ""))
        #expect(
            try edited(text, "enabled=false")
                == text.replacingOccurrences(of: #""1d"}"#, with: #""1d", enabled: false}"#))
    }

    @Test func bracesOverSeveralLinesAreRefused() throws {
        let text = "sources:\n  - {name: quakes,\n     kind: usgs}\n"
        for change in ["offset=1m", "enabled=true"] {
            let words = try refusal(text, change)
            #expect(words.hasPrefix("v.yaml:2:5: sources[0]."), "\(words)")
            #expect(words.contains("found a source in braces over several lines"), "\(words)")
        }
    }

    // MARK: - Refusals

    @Test(arguments: [
        ("offset: *time", "offset=2m", "v.yaml:8:5: sources[1].offset: found an alias (*)"),
        ("offset: &more 1m", "offset=2m", "v.yaml:8:5: sources[1].offset: found an anchor or a tag"),
        ("offset: !!str 1m", "offset=2m", "v.yaml:8:5: sources[1].offset: found an anchor or a tag"),
        ("<<: *first", "max_age=2m", "v.yaml:5:5: sources[1].max_age: found a value of a merge key (<<)"),
        ("<<: *first", "max_age=", "v.yaml:5:5: sources[1].max_age: found a value of a merge key (<<)"),
        ("offset: >-\n      1m", "offset=2m", "v.yaml:8:5: sources[1].offset: found a text of several lines"),
        ("provider: one\n      two", "provider=x", "v.yaml:8:5: sources[1].provider: found a text of several lines"),
        ("keywords:\n      - a # one\n      - b", "keywords=[c]", "found a list with comments, aliases"),
        ("keywords:\n      - a\n      - b # two", "keywords=[c]", "found a list with comments, aliases"),
        ("keywords: # all\n      - a", "keywords=c", "found a comment before the list"),
        ("keywords: [a, *time]", "keywords=[c]", "found a list with comments, aliases"),
        ("keywords: {a: b}", "keywords=[c]", "found a section"),
    ]) func whatCannotBeToldApartIsRefused(line: String, change: String, words: String) throws {
        let text = """
            sources:
              - &first
                name: first
                kind: usgs
                max_age: 1d
                offset: &time 1m
              - name: quakes
                \(line)
                kind: usgs

            """
        let found = try refusal(text, change)
        #expect(found.contains(words), "\(found)")
        #expect(found.hasSuffix("; accepted: an edit of this line by hand"), "\(found)")
    }

    @Test func aValueOnWhichAnotherSourceDependsIsRefused() throws {
        let text = """
            sources:
              - &quakes
                name: quakes
                kind: usgs
                max_age: 1d
              - <<: *quakes
                name: more
                offset: 1m

            """
        let words = try refusal(text, "max_age=2d")
        #expect(words.contains("v.yaml:5:5: sources[0].max_age: found a value on which others"), "\(words)")
        #expect(try refusal(text, "enabled=false").contains("found a value on which others depend"))
        // What the other source has of its own does not depend on this one.
        #expect(
            try edited(text, "offset=2m").contains("max_age: 1d\n    offset: 2m\n  - <<"))
    }

    @Test(arguments: [
        "name=x", "kind=rss", "url=http://a", "headers=x", "authorization_file=x", "proxy=x", "ca_file=x",
    ])
    func whichServerIsAskedAndAsWhomIsLeftAlone(change: String) throws {
        let words = try refusal(Self.file, change)
        #expect(words.contains("found a key that set leaves alone; accepted: topics, refresh_interval, "), "\(words)")
        #expect(words.contains(", period; others by hand"), "\(words)")
    }

    @Test func placesOfSecretsAreLeftAlone() throws {
        let words = try refusal(Self.file, "bearer_token_file=credential:x", source: "messages")
        #expect(words.contains("sources[2].bearer_token_file: found a key that set leaves alone"), "\(words)")
        #expect(!SettingsEdit.keys(of: TestKinds.twitter).contains { $0.hasSuffix("_file") })
        #expect(SettingsEdit.keys(of: TestKinds.twitter).contains("languages"))
    }

    @Test func aSourceThatIsNoneIsNamedWithThoseThatAre() throws {
        let words = try refusal(Self.file, "offset=1m", source: "quake")
        #expect(words.hasPrefix("v.yaml: sources: no source is named \"quake\"; accepted: news, quakes, messages; "))
        #expect(words.hasSuffix("; did you mean quakes?"), "\(words)")
        #expect(try refusal("sources: [", "offset=1m").contains("not YAML: "))
    }

    @Test(arguments: ["", "offset", "=1m", "Offset=1m", "a b=1", "a:\n b=1"])
    func aChangeNamesAKey(text: String) {
        #expect(SettingsEdit.Change(text) == nil)
    }

    @Test func theLinesAreYAML() throws {
        let changes = ["offset=1m", "max_age=", "keywords=[a, \"b, c\"]", "query=[a]"].compactMap {
            SettingsEdit.Change($0)
        }
        let lines = SettingsEdit(source: "quakes", changes: changes).lines(kinds: TestKinds.all)
        #expect(lines == "offset: 1m\nkeywords: [a, \"b, c\"]\nquery: \"[a]\"")
    }

    // MARK: - Files

    /// A line that is added and taken away leaves the file as it was.
    @Test func everyRightFileIsEditedAndBackOrRefused() throws {
        let folder = Fixtures.url("config/right")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".yaml") }
        var count = 0
        for name in names {
            let text = String(decoding: try Fixtures.data("config/right/\(name)"), as: UTF8.self)
            let source = name.hasPrefix("file-") ? "news" : "quakes"
            guard let new = try? edited(text, "offset=77m", source: source) else { continue }
            count += 1
            #expect(new != text, "\(name)")
            let back = try edited(new, "offset=", source: source)
            #expect(back == text || back == text + "\n", "\(name)")
        }
        #expect(count >= 12)
    }
}
