import Foundation
import Model
import Operations
import Reading
import Settings
import Testing

/// Lists of feeds (OPML), and the sources that are made of them.
@Suite struct FeedImportTests {
    private static func list(_ body: String, version: String = "2.0") throws -> FeedList {
        try FeedList(opml: Data("<opml version=\"\(version)\"><head/><body>\(body)</body></opml>".utf8))
    }

    private static func code(_ document: String) -> String? {
        do throws(ReadingError) {
            _ = try FeedList(opml: Data(document.utf8))
            return nil
        } catch {
            return error.code
        }
    }

    /// The settings of what was made, beside a configuration with other sources.
    private static func read(_ made: FeedImport, besides main: String = "") throws -> Settings {
        let files = SettingsFiles(
            main: SettingsFile(path: "v.yaml", text: main),
            fragments: [SettingsFile(path: "conf.d/made.yaml", text: made.text)])
        return try SettingsReader.parse(files, environment: [:]).settings
    }

    // MARK: - Reading

    @Test(arguments: ["1.0", "1.1", "2.0"]) func nestedHeadingsAreGroups(version: String) throws {
        let list = try Self.list(
            """
            <outline text="News"><outline text=" Far\n East ">
              <outline type="rss" text="One" title="Other" xmlUrl="https://a.test/1" htmlUrl="https://a.test/"/>
            </outline><outline title="Two" xmlUrl="https://a.test/2"/></outline>
            <outline type="rss" xmlurl="https://a.test/3" category="/Boston/Weather,/Rain"/>
            <outline text="nothing in it"/>
            """, version: version)
        #expect(list.feeds.map { $0.title } == ["One", "Two", ""])
        #expect(list.feeds.map { $0.url } == ["https://a.test/1", "https://a.test/2", "https://a.test/3"])
        #expect(list.feeds.map { $0.groups } == [["News", "Far East"], ["News"], ["Boston", "Weather"]])
    }

    @Test func whatIsNoWholeListIsRefused() {
        #expect(Self.code("<rss version=\"2.0\"><channel/></rss>") == "not_opml")
        #expect(Self.code("<opml version=\"2.0\"><head/></opml>") == "not_opml")
        #expect(Self.code("") == "empty")
        #expect(Self.code("<opml><body><outline xmlUrl=\"https://a.test/\"/>") == "truncated")
        let feed = "<outline xmlUrl=\"https://a.test/\"/>"
        let many = String(repeating: feed, count: FeedList.maximumFeeds)
        #expect(Self.code("<opml><body>\(many)</body></opml>") == nil)
        #expect(Self.code("<opml><body>\(many)\(feed)</body></opml>") == "too_large")
        let deep = String(repeating: "<outline text=\"x\">", count: 40)
        let end = String(repeating: "</outline>", count: 40)
        #expect(Self.code("<opml><body>\(deep)\(end)</body></opml>") == "too_deep")
    }

    // MARK: - Sources

    @Test func sourcesHaveNamesOfTheirOwn() throws {
        let titles = [
            "BBC News – World", "BBC News: World!", "Ändå l’été", "地震", "", String(repeating: "long ", count: 30),
            "taken",
            "Taken",
        ]
        let outlines = titles.enumerated().map { index, title in
            "<outline text=\"\(title)\" xmlUrl=\"https://h\(index).test/feed\"/>"
        }
        let known = [SourceSettings(name: "taken", kind: "usgs", url: "https://u.test/")]
        let made = FeedImport(try Self.list(outlines.joined()), besides: known, from: "list.opml")
        let settings = try Self.read(made, besides: "sources: [{name: taken, kind: usgs}]\n")
        #expect(
            settings.sources.dropFirst().map { $0.name } == [
                "bbc-news-world", "bbc-news-world-2", "anda-lete", "h3.test", "h4.test",
                "long-long-long-long-long-long-long-long-long-long-long-l", "taken-2", "taken-3",
            ])
        #expect(settings.sources.dropFirst().allSatisfy { $0.kind == "rss" && $0.isEnabled })
        #expect(made.count == titles.count && made.leftOut.isEmpty)
    }

    @Test func theTextIsForPeople() throws {
        let list = try Self.list(
            """
            <outline text="News"><outline text="Asia # 1"><outline text="One" xmlUrl="https://a.test/1?x=1#y"/></outline>
            <outline text="Two &amp; three" xmlUrl="https://a.test/2"/></outline>
            """)
        let made = FeedImport(list, besides: [], from: "list\u{1B}.opml")
        #expect(
            made.text == """
                # Made by visiventd import of list\u{FFFD}.opml. Edit it as you like.
                sources:

                  # News / Asia # 1
                  - name: one   # One
                    kind: rss
                    url: "https://a.test/1?x=1#y"

                  # News
                  - name: two-three   # Two & three
                    kind: rss
                    url: "https://a.test/2"
                    offset: 4m

                """)
        let settings = try Self.read(made)
        #expect(settings.sources.map { $0.url } == ["https://a.test/1?x=1#y", "https://a.test/2"])
        #expect(settings.sources.map { $0.offset } == [.seconds(180), .seconds(240)])
    }

    @Test func noTitleAddsAKey() throws {
        let title = "x&#10;    enabled: false&#x85;    kind: usgs&#x2028;- name: y&#xFEFF;"
        let made = FeedImport(
            try Self.list("<outline text=\"\(title)\" xmlUrl=\"https://a.test/\"/>"), besides: [], from: "l")
        let settings = try Self.read(made)
        #expect(settings.sources.count == 1)
        #expect(settings.sources.first?.isEnabled == true && settings.sources.first?.kind == "rss")
    }

    @Test func whatIsConfiguredAlreadyIsLeftOut() throws {
        let known = [
            SourceSettings(name: "bbc", kind: "rss", url: "https://f.test/{topic}/rss.xml", topics: ["world", "asia"]),
            SourceSettings(name: "who", kind: "cap", url: "https://w.test/cap?lang=en"),
        ]
        let list = try Self.list(
            """
            <outline text="A" xmlUrl="http://F.test/asia/rss.xml"/>
            <outline text="B" xmlUrl="https://w.test/cap/?lang=en#top"/>
            <outline text="C" xmlUrl="https://w.test/cap?lang=fr"/>
            <outline text="D" xmlUrl="https://w.test/cap?lang=fr"/>
            """)
        let made = FeedImport(list, besides: known, from: "l")
        #expect(made.count == 1)
        #expect(
            made.leftOut == [
                "line 1, A: is configured as bbc", "line 2, B: is configured as who",
                "line 4, D: is in the list before, in line 3",
            ])
    }

    @Test func addressesThatNoSourceCanHaveAreLeftOutAndNotQuoted() throws {
        let secret = "hunter2"
        let urls = [
            "file:///etc/passwd", "https://me:\(secret)@a.test/", "ftp://a.test/\(secret)", "javascript:\(secret)",
            "/feed",
            "https://a.test/a b?\(secret)", "https:///x",
        ]
        let list = try Self.list(urls.map { "<outline text=\"x\" xmlUrl=\"\($0)\"/>" }.joined())
        let made = FeedImport(list, besides: [], from: "l")
        #expect(made.count == 0)
        #expect(made.leftOut.count == urls.count)
        #expect(!made.leftOut.joined().contains(secret) && !made.text.contains(secret))
        #expect(made.leftOut.first == "line 1, x: found no address of http or https")
    }

    @Test func addressesOfReadersAreTaken() throws {
        let list = try Self.list(
            ["feed://a.test/1", "feed:https://a.test/2", " https://a.test/3\n", "https://a.test/{x}"].map {
                "<outline xmlUrl=\"\($0)\"/>"
            }.joined())
        let made = FeedImport(list, besides: [], from: "l")
        #expect(
            try Self.read(made).sources.map { $0.url } == [
                "http://a.test/1", "https://a.test/2", "https://a.test/3", "https://a.test/%7Bx%7D",
            ])
    }

    // MARK: - Edits

    @Test func anEditOfAFragmentIsValidatedWithAllFiles() throws {
        let text = "sources:\n  - name: news\n    kind: rss\n    url: https://example.org/\n"
        let files = SettingsFiles(
            main: SettingsFile(path: "v.yaml", text: "sources: [{name: quakes, kind: usgs}]\n"),
            fragments: [SettingsFile(path: "conf.d/a.yaml", text: text)])
        func edit(_ change: String) throws -> SettingsEdit {
            let change = try #require(SettingsEdit.Change(change))
            return SettingsEdit(source: "news", changes: [change])
        }
        let edited = try edit("offset=2h").validated(files, environment: [:])
        #expect(edited.file.path == "conf.d/a.yaml" && edited.old == text)
        #expect(edited.new == text + "    offset: 2h\n")
        #expect(edited.settings.sources.map { $0.offset } == [.zero, .seconds(7200)])
        let wrong = try #require(throws: SettingsErrors.self) {
            try edit("offset=soon").validated(files, environment: [:])
        }
        #expect(wrong.faults.map { "\($0.file):\($0.line)" } == ["conf.d/a.yaml:5"])
        let broken = files.replacing("v.yaml", with: Data("log: {level: loud}\n".utf8))
        let before = try #require(throws: SettingsErrors.self) {
            try edit("offset=soon").validated(broken, environment: [:])
        }
        #expect(before.faults.map { "\($0.file):\($0.line)" } == ["v.yaml:1"])
    }
}
