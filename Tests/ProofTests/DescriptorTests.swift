import Control
import Foundation
import Model
import ProcessSupport
import ScriptedUpstream
import Testing

/// The real program without free descriptors.
@Suite(.enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not there"), .timeLimit(.minutes(60)))
struct DescriptorTests {
    @Test("too few descriptors to start with: it says so and ends")
    func tooFewToStart() async throws {
        let feeds = try await SmallFeeds()
        defer { feeds.end() }
        let program = try #require(DaemonProcess.executable).path
        let file = try feeds.configuration([feeds.source("quakes")])
        for limit in [8, 12, 16] {
            let run = try await MeasuredRun.of(
                ["bash", "-c", "ulimit -n \(limit); exec \"$@\"", "bash", program, "run", "--config", file])
            #expect([69, 75].contains(run.status), "limit \(limit): \(run.status) \(run.errors)")
            #expect(!run.errors.isEmpty)
        }
    }

    @Test("too few descriptors to poll with: it does not start, and polls with as many as it asks for")
    func tooFewToPoll() async throws {
        let feeds = try await SmallFeeds()
        defer { feeds.end() }
        let program = try #require(DaemonProcess.executable).path
        let file = try feeds.configuration([feeds.source("quakes")])
        func limited(to limit: Int) -> [String] { ["bash", "-c", "ulimit -n \(limit); exec \"$@\"", "bash"] }
        var least = 0
        for limit in [26, 36] {
            let run = try await MeasuredRun.of(limited(to: limit) + [program, "run", "--config", file])
            #expect(run.status == 69 && run.errors.contains("only \(limit) files"), "\(run.status) \(run.errors)")
            #expect(!run.errors.contains(" started "))
            least = try #require(run.errors.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) })
        }
        let process = try DaemonProcess(configuration: file, within: limited(to: least))
        defer { process.signal(SIGKILL) }
        #expect(await process.says("poll ended", "source=quakes"), "\(process.lines.all)")
    }

    @Test("no descriptor for connections: the log says so, no source is blamed, and it passes")
    func noneForConnections() async throws {
        let feeds = try await SmallFeeds()
        defer { feeds.end() }
        let empty = Documents.usgs([], generated: Date().milliseconds)
        // Connections last long enough that the later sources find no descriptor.
        feeds.server.answerOthers { _ in .slow(empty, pieceBytes: 32, pause: .milliseconds(100)) }
        let sources = (0..<12).map { feeds.source("s\($0)", offset: "8s") }
        let file = try feeds.configuration(fetch: "per_host_gap: 0s, per_host_concurrency: 16", sources)
        let process = try DaemonProcess(configuration: file)
        defer { process.signal(SIGKILL) }
        #expect(await process.says(" started ", "control="), "\(process.lines.all)")
        let identifier = try #require(process.identifier)
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(identifier)/fd").compactMap { Int($0) }
        // Three descriptors are left, in gaps or at the end.
        let limit = (0...).lazy.filter { !open.contains($0) }.dropFirst(3).first { _ in true } ?? 0
        let limited = try await MeasuredRun.of(["prlimit", "--pid", "\(identifier)", "--nofile=\(limit):"])
        #expect(limited.status == 0, "\(limited.errors)")
        #expect(await process.says("poll postponed", "error=no_descriptors"), "\(process.lines.all)")

        // A poll on demand waits until a descriptor is free.
        let answers = Facts<Bool>()
        let socket = feeds.socket
        Thread.detachNewThread {
            let isSuccess = try? ControlClient.send(ControlRequest(.poll, sources: ["s0"]), to: socket) { _ in }
            answers.append(isSuccess ?? false)
        }
        let all = sources.count
        #expect(
            await process.lines.wait { lines in
                let ended = lines.filter { $0.contains("poll ended") || $0.contains("poll postponed") }
                return Set(ended.compactMap { $0.split(separator: " ").first { $0.hasPrefix("source=") } }).count == all
            })
        let raised = try await MeasuredRun.of(["prlimit", "--pid", "\(identifier)", "--nofile=512:"])
        #expect(raised.status == 0, "\(raised.errors)")
        _ = await answers.wait { !$0.isEmpty }
        #expect(answers.all.count == 1)

        for number in 0..<all {
            #expect(
                await process.lines.wait { lines in
                    lines.contains {
                        $0.contains("poll ended") && $0.contains("source=s\(number) ") && !$0.contains("error=")
                    }
                }, "s\(number) has not recovered")
        }
        process.signal(SIGTERM)
        #expect(await process.exit()?.status == 0)
        #expect(process.linesHolding("source is failing").isEmpty)
    }
}
