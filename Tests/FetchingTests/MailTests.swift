import Fetching
import Foundation
import Model
import Synchronization
import Testing

/// A mail server that plays a script.
private final class ScriptedMailServer: Sendable {
    let raw: RawServer
    /// What the client has said, the whole mail as one text.
    let lines: SharedLines

    /// - Parameter replies: What is answered to a verb in place of the usual; `BODY` is the end of a mail, `GREETING` the
    ///   connection. Nil cuts the connection.
    init(_ replies: [String: String?] = [:]) throws {
        let heard = SharedLines()
        lines = heard
        raw = try RawServer { connection in
            func say(_ verb: String, _ usual: String) -> Bool {
                guard let reply = replies[verb] ?? usual else { return false }
                return connection.send(reply + "\r\n")
            }
            guard say("GREETING", "220 mail.example ESMTP") else { return }
            while let line = connection.readText(until: "\r\n") {
                heard.add(String(line.dropLast(1)))
                let verb = String(line.prefix { $0 != " " && $0 != "\r\n" })
                switch verb {
                case "EHLO": guard say("EHLO", "250-mail.example\r\n250 AUTH PLAIN") else { return }
                case "AUTH":
                    if line.split(separator: " ").count < 3 {
                        connection.send("334 \r\n")
                        guard let login = connection.readText(until: "\r\n") else { return }
                        heard.add(String(login.dropLast(1)))
                    }
                    guard say("AUTH", "235 2.7.0 ok") else { return }
                case "DATA":
                    guard say("DATA", "354 go on") else { return }
                    if replies["DATA"] != nil { continue }
                    guard let mail = connection.readText(until: "\r\n.\r\n") else { return }
                    heard.add(mail)
                    guard say("BODY", "250 2.0.0 Ok: queued as 4711") else { return }
                case "QUIT":
                    _ = say("QUIT", "221 bye")
                    return
                default: guard say(verb, "250 ok") else { return }
                }
            }
        }
    }
}

private final class SharedLines: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
}

@Suite(.timeLimit(.minutes(60)))
struct MailTests {
    private static let text = "Subject: a\r\n\r\n.line\r\nend\r\n"

    private func request(_ port: UInt16, _ change: (inout Mail) -> Void = { _ in }) throws -> FetchRequest {
        var mail = Mail(
            from: try #require(MailAddress("visiventd@example.org")), to: try #require(MailAddress("desk@example.org")),
            text: Data(Self.text.utf8))
        mail.requiresTLS = false
        change(&mail)
        var request = FetchRequest(url: "smtp://127.0.0.1:\(port)")
        request.mail = mail
        return request
    }

    private func failure(_ request: FetchRequest) async throws -> Failure? { try await makeFetcher().failure(request) }

    @Test func aMailIsHandedOverWhole() async throws {
        let server = try ScriptedMailServer()
        defer { server.raw.stop() }
        let answer = try #require(try await makeFetcher().body(request(server.raw.port)))
        #expect(answer.status == 250)
        #expect(String(decoding: answer.data, as: UTF8.self) == "250 2.0.0 Ok: queued as 4711")
        let lines = server.lines.all
        #expect(lines.contains("MAIL FROM:<visiventd@example.org>"))
        #expect(lines.contains("RCPT TO:<desk@example.org>"))
        // A dot at the beginning of a line is doubled (RFC 5321 §4.5.2).
        #expect(lines.contains("Subject: a\r\n\r\n..line\r\nend\r\n.\r\n"))
    }

    @Test func theLoginIsSent() async throws {
        let server = try ScriptedMailServer()
        defer { server.raw.stop() }
        _ = try await makeFetcher().body(request(server.raw.port) { ($0.user, $0.password) = ("u", Secret("p")) })
        let login = Data("\0u\0p".utf8).base64EncodedString()
        #expect(server.lines.all.contains { $0.hasPrefix("AUTH PLAIN") || $0 == login })
    }

    @Test(arguments: [
        ("RCPT", "550 5.1.1 no such user", "smtp_550", Failure.Fault.server, 550),
        ("RCPT", "451 4.7.1 greylisted", "smtp_451", .server, 451),
        ("BODY", "554 5.7.1 spam", "smtp_554", .server, 554),
        ("DATA", "552 too large", "smtp_552", .server, 552),
        ("MAIL", "553 not your address", "smtp_553", .operator, 553),
        ("AUTH", "535 5.7.8 wrong password", "smtp_535", .operator, 535),
        ("BODY", "452 4.3.1 no room", "smtp_452", .server, 452),
        ("GREETING", "421 busy", "smtp_421", .network, 421),
        ("MAIL", "451 4.3.0 later", "smtp_451", .network, 451),
    ])
    func aReplySaysWhoseFaultItIs(
        verb: String, reply: String, code: String, fault: Failure.Fault, status: Int
    ) async throws {
        let server = try ScriptedMailServer([verb: reply])
        defer { server.raw.stop() }
        let mail = try request(server.raw.port) { ($0.user, $0.password) = ("u", Secret("hidden")) }
        let failure = try #require(try await failure(mail))
        #expect(failure.code == code)
        #expect(failure.fault == fault)
        #expect(failure.status == status)
        #expect(failure.excerpt.map { String(decoding: $0, as: UTF8.self) } == reply)
        #expect(!"\(failure)".contains("hidden"))
    }

    @Test func withoutSTARTTLSNothingIsSent() async throws {
        let server = try ScriptedMailServer()
        defer { server.raw.stop() }
        let mail = try request(server.raw.port) { mail in
            mail.requiresTLS = true
            (mail.user, mail.password) = ("u", Secret("hidden"))
        }
        let failure = try #require(try await failure(mail))
        #expect(failure.code == "no_starttls")
        #expect(failure.fault == .operator)
        #expect(!server.lines.all.contains { $0.hasPrefix("MAIL") || $0.hasPrefix("AUTH") })
    }

    @Test func aConnectionThatIsCutAfterTheMailMayHaveBroughtIt() async throws {
        let server = try ScriptedMailServer(["BODY": String?.none])
        defer { server.raw.stop() }
        let failure = try #require(try await failure(request(server.raw.port)))
        #expect(failure.fault == .network)
        #expect(!failure.isUnsent)
    }

    @Test func aClosedPortIsNotSentTo() async throws {
        let port = try RefusingPort()
        let failure = try #require(try await failure(request(port.port)))
        #expect(failure.code == "connection_refused")
        #expect(failure.isUnsent)
    }

    @Test func aCancelledMailEnds() async throws {
        let isConnected = SharedLines()
        let server = try RawServer { connection in
            isConnected.add("")
            connection.waitForClose()
        }
        defer { server.stop() }
        let mail = try request(server.port)
        let task = Task { try await self.failure(mail) }
        while isConnected.all.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        task.cancel()
        #expect(try await task.value?.code == "cancelled")
    }
}

/// Messages to webhooks.
@Suite(.timeLimit(.minutes(60)))
struct MessageFetchTests {
    @Test(arguments: [200, 201, 202, 204, 206, 299])
    func everySuccessCounts(status: Int) async throws {
        let server = try RawServer(reply: reply(status))
        defer { server.stop() }
        var request = FetchRequest(url: server.url("/"), json: "{}")
        request.takesAnySuccess = true
        let body = try #require(try await makeFetcher().body(request))
        #expect(body.status == status)
        #expect(server.requests.first?.header("Content-Type") == "application/json")
    }

    @Test func withoutThatOnlyBodiesCount() async throws {
        let server = try RawServer(reply: reply(202))
        defer { server.stop() }
        let failure = try await makeFetcher().failure(FetchRequest(url: server.url("/"), json: "{}"))
        #expect(failure?.code == "http_202")
    }

    @Test(arguments: ["", "1234"])
    func anAnswerWithoutAnEndTellsItsStatus(body: String) async throws {
        let server = try RawServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.send("HTTP/1.1 202 Accepted\r\nContent-Length: 9\r\n\r\n" + body)
            connection.waitForClose()
        }
        defer { server.stop() }
        var request = FetchRequest(url: server.url("/"), json: "{}")
        request.takesAnySuccess = true
        let failure = try await makeFetcher { $0.totalTimeout = .milliseconds(300) }.failure(request)
        #expect(failure?.status == 202)
    }

    @Test func anAnswerThatIsTooLargeTellsItsStatus() async throws {
        let server = try RawServer(reply: reply(200, body: Array(repeating: 0x61, count: 100_000)))
        defer { server.stop() }
        var request = FetchRequest(url: server.url("/"), json: "{}")
        (request.takesAnySuccess, request.maximumBytes) = (true, 1000)
        let failure = try await makeFetcher().failure(request)
        #expect(failure?.code == "too_large")
        #expect(failure?.status == 200)
    }
}
