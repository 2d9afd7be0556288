import Testing

@testable import Settings

@Suite struct SettingsValueTests {
    private func values() throws -> [SettingsValue] {
        let text = """
            serve:
              page: page
              basemaps:
                - {name: streets, tiles: "https://tile.example.org/{z}/{x}/{y}.png?key=hidden", attribution: A}
                - {name: relief, mbtiles: relief.mbtiles, attribution: A}
              overlays: [{name: plates, file: plates.geojson, attribution: A}]
            sources: [{name: quakes, kind: usgs}]

            """
        let files = SettingsFiles(main: SettingsFile(path: "/etc/visiventd/v.yaml", text: text))
        return try SettingsReader.values(in: files, kinds: TestKinds.all, environment: [:])
    }

    /// A key that is read and not listed would be missing from `/configuration`.
    @Test func everyKeyIsListed() throws {
        let all = try values()
        let sections = [
            ("log", KeyHome.log), ("fetch", KeyHome.fetch), ("truncation", KeyHome.truncation),
            ("serve", KeyHome.serve),
        ]
        for (section, keys) in sections {
            let listed = all.filter { $0.source == nil && $0.key.hasPrefix("\(section).") }.map { $0.key }
            #expect(listed == keys.map { "\(section).\($0)" })
        }
        let own = all.filter { $0.source == "quakes" }.map { $0.key }
        #expect(own == SourceReader.commonKeys + ["period"])
    }

    @Test func baseMapsAndOverlaysAreNamesWithTheirLine() throws {
        let all = try values()
        let shown = all.filter { ["serve.page", "serve.basemaps", "serve.overlays"].contains($0.key) }
        #expect(shown.map { $0.value } == ["/etc/visiventd/page", "[streets, relief]", "[plates]"])
        #expect(shown.map { $0.line } == [2, 3, 6])
        #expect(shown.map { $0.accepted } == ["the path of a folder", "a list: - name: …", "a list: - name: …"])
        #expect(!all.contains { $0.value?.contains("hidden") == true })
    }
}
