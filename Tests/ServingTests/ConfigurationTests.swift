import Foundation
import TestSupport
import Testing

@testable import Serving

/// The configuration as the page shows it.
@Suite struct ConfigurationTests {
    private let test: TestAPI
    private let path: String
    private let api: ReadAPI

    private static let text = """
        database: events.sqlite
        serve: {configuration: true}
        sources:
          - name: quakes
            kind: usgs
            url: https://example.org/{period}.geojson?key=hidden
            refresh_interval: 90s
            headers: {X-Feed: hidden}
          - name: messages
            kind: twitter
            enabled: true
            query: volcano
            bearer_token_file: credential:twitter
            keywords: [volcan*, "New Delhi, India"]

        """

    init() throws {
        test = try TestAPI()
        path = test.directory.path + "/v.yaml"
        try Data(Self.text.utf8).write(to: URL(fileURLWithPath: path))
        api = ReadAPI(
            program: "1.0",
            configuration: .shown(
                ServedConfiguration(path: path, environment: [:], command: "visiventd set --config v.yaml")))
    }

    private func json(_ path: String, _ query: String? = nil, status: Int = 200) throws -> [String: Any] {
        let request = APIRequest(path: path, query: query, headers: ["host": "api.example:8423"])
        let answer = api.answer(request, from: test.store, now: start)
        #expect(answer.status == status, "\(path)?\(query ?? "")")
        #expect(answer.header("cache-control") == "no-store")
        let object = try JSONSerialization.jsonObject(with: Data(try test.text(answer).utf8))
        return try #require(object as? [String: Any])
    }

    private func value(_ key: String, of source: String?, in answer: [String: Any]) throws -> [String: Any] {
        let values = try #require(answer["values"] as? [[String: Any]])
        return try #require(values.first { $0["key"] as? String == key && $0["source"] as? String == source })
    }

    @Test func eachValueHasItsLine() throws {
        let answer = try json("/configuration")
        #expect(answer["file"] as? String == path)
        #expect((answer["faults"] as? [Any])?.isEmpty == true)
        let interval = try value("refresh_interval", of: "quakes", in: answer)
        #expect(interval["value"] as? String == "1m30s")
        #expect(interval["line"] as? Int == 7)
        #expect(interval["default"] as? Bool == false)
        let accepted = "a duration from 10s to 366d, such as 90s, 15m, 72h or 1h30m"
        #expect(interval["accepted"] as? String == accepted)
        let offset = try value("offset", of: "quakes", in: answer)
        #expect(offset["value"] as? String == "0s")
        #expect(offset["line"] == nil)
        #expect(offset["default"] as? Bool == true)
        let shown = try value("serve.configuration", of: nil, in: answer)
        #expect(shown["value"] as? String == "true")
        #expect(shown["line"] as? Int == 2)
        let keywords = try value("keywords", of: "messages", in: answer)
        #expect(keywords["value"] as? String == "[volcan*, \"New Delhi, India\"]")
        let database = try value("database", of: nil, in: answer)
        #expect(database["value"] as? String == test.directory.path + "/events.sqlite")
        #expect(try value("period", of: "quakes", in: answer)["value"] as? String == "all_day")
        let contact = try value("contact", of: nil, in: answer)
        #expect(contact["value"] is NSNull)
        #expect(contact["accepted"] as? String == "1 to 200 ASCII characters without parentheses and backslashes")
    }

    @Test func aSourceOfTheFolderHasTheLineOfItsFile() throws {
        let folder = test.directory.path + "/conf.d"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let text = "sources:\n  - name: news\n    kind: rss\n    url: https://example.org/\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/a.yaml"))
        let answer = try json("/configuration")
        #expect(answer["file"] as? String == path)
        let url = try value("url", of: "news", in: answer)
        #expect(url["line"] as? Int == 4 && url["file"] as? String == folder + "/a.yaml")
        #expect(try value("url", of: "quakes", in: answer)["file"] == nil)
        let wrong = try json("/configuration/check", "source=news&offset=soon")
        let fault = try #require((wrong["faults"] as? [[String: Any]])?.first)
        #expect((fault["words"] as? String)?.hasPrefix("\(folder)/a.yaml:5:5: sources[0].offset: ") == true)
        let unknown = try json("/configuration/check", "source=new&offset=1m", status: 400)
        #expect(unknown["accepted"] as? String == "quakes, messages, news")
    }

    @Test func noQueryNoHeaderAndNoSecretIsShown() throws {
        let answer = try json("/configuration")
        let url = try value("url", of: "quakes", in: answer)
        #expect(url["value"] as? String == "https://example.org/{period}.geojson")
        #expect(try value("headers", of: "quakes", in: answer)["value"] as? String == "[X-Feed]")
        let token = try value("bearer_token_file", of: "messages", in: answer)
        #expect(token["value"] as? String == "credential:twitter")
        let request = APIRequest(path: "/configuration", headers: ["host": "api.example:8423"])
        #expect(try !test.text(api.answer(request, from: test.store, now: start)).contains("hidden"))
    }

    @Test func anEditIsCheckedAndNotMade() throws {
        let wrong = try json("/configuration/check", "source=quakes&refresh_interval=1s")
        let faults = try #require(wrong["faults"] as? [[String: Any]])
        #expect(faults.count == 1)
        #expect(faults.first?["key"] as? String == "sources[0].refresh_interval")
        #expect(faults.first?["found"] as? String == "found \"1s\"")
        #expect((faults.first?["accepted"] as? String)?.hasPrefix("a duration from 10s to 366d") == true)
        #expect((faults.first?["words"] as? String)?.hasPrefix("\(path):7:5: sources[0].refresh_interval: ") == true)
        let command = "visiventd set --config v.yaml quakes refresh_interval=1s"
        #expect(wrong["command"] as? String == command)
        let right = try json(
            "/configuration/check", "source=messages&keywords=%5Berupt*,+%22a,+b%22%5D&max_age=2d&query=")
        #expect((right["faults"] as? [Any])?.isEmpty == true)
        #expect(right["yaml"] as? String == "keywords: [erupt*, \"a, b\"]\nmax_age: 2d")
        #expect(
            right["command"] as? String
                == "visiventd set --config v.yaml messages 'keywords=[erupt*, \"a, b\"]' max_age=2d query=")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == Self.text)
    }

    @Test(arguments: ["url=http://127.0.0.1/", "bearer_token_file=/etc/shadow", "name=x"])
    func noServerIsNamedByAnEdit(change: String) throws {
        let answer = try json("/configuration/check", "source=messages&\(change)")
        let faults = try #require(answer["faults"] as? [[String: Any]])
        #expect(faults.first?["found"] as? String == "found a key that set leaves alone")
    }

    @Test func badParametersAreNamed() throws {
        let unknown = try json("/configuration/check", "source=quake&offset=1m", status: 400)
        #expect(unknown["accepted"] as? String == "quakes, messages")
        #expect(try json("/configuration/check", "offset=1m", status: 400)["parameter"] as? String == "source")
        #expect(try json("/configuration/check", "source=quakes", status: 400)["parameter"] as? String == "source")
        #expect(try json("/configuration/check", "source=quakes&A=1", status: 400)["parameter"] as? String == "A")
        #expect(try json("/configuration", "x=1", status: 400)["parameter"] as? String == "x")
    }

    @Test func faultsOfTheFileComeInPlaceOfValues() throws {
        try Data("sources: []\n".utf8).write(to: URL(fileURLWithPath: path))
        let answer = try json("/configuration")
        #expect((answer["values"] as? [Any])?.isEmpty == true)
        let faults = try #require(answer["faults"] as? [[String: Any]])
        #expect(faults.first?["found"] as? String == "found an empty list")
    }

    @Test func aFileThatCannotBeReadIsNotShown() throws {
        try FileManager.default.removeItem(atPath: path)
        let problem = try json("/configuration", status: 404)
        #expect((problem["detail"] as? String)?.contains("No such file or directory") == true)
        #expect(try json("/configuration/check", "source=quakes&offset=1m", status: 404)["status"] as? Int == 404)
    }

    @Test func byDefaultNothingIsShown() throws {
        for path in ["/configuration", "/configuration/check"] {
            let detail = try test.json(path, status: 404)["detail"] as? String
            #expect(detail == "the configuration is not shown: there is none")
        }
        #expect(test.get("/configuration/more").status == 404)
    }
}
