import Feeds
import Foundation
import Model
import Settings

extension FuzzTarget {
    /// The configuration file: it must give valid settings, or faults with a position that reveal no secret.
    static let configuration = FuzzTarget(
        "configuration", seeds: ["config/*.yaml", "config/right/*.yaml", "config/wrong/*.yaml"]
    ) { data in
        switch outcome(data) {
        case .success(let settings):
            try checkSettings(settings)
            try checkEdit(of: data, settings)
        case .failure(let errors):
            try checkFaults(errors, of: data)
            try hold(outcome(data) == .failure(errors), "the same file has other faults")
        }
    }

    /// Marks a misplaced secret in the seeds. No message may quote it as a value; if it is itself a key of the file,
    /// the path of that key contains it.
    private static let marker = "never-shown-password"

    private static func outcome(_ data: Data) -> Result<Settings, SettingsErrors> {
        do throws(SettingsErrors) {
            let settings = try SettingsReader.parse(
                SettingsFiles(main: SettingsFile(path: "fuzz.yaml", content: data)), kinds: FeedRegistry.kinds,
                environment: ["STATE_DIRECTORY": "/var/lib/visiventd"], check: { problem(with: $0) })
            return .success(settings)
        } catch {
            return .failure(error)
        }
    }

    private static func problem(with source: SourceSettings) -> FeedSettingsError? {
        do throws(FeedSettingsError) {
            _ = try FeedRegistry.feed(for: source)
            return nil
        } catch {
            return error
        }
    }

    /// An edit of a source must change nothing but its key, in the settings and in the text.
    private static func checkEdit(of data: Data, _ settings: Settings) throws(BrokenInvariant) {
        guard let change = SettingsEdit.Change("offset=77m") else { return }
        for (index, source) in settings.sources.enumerated().prefix(3) {
            let edit = SettingsEdit(source: source.name, changes: [change])
            let text = String(decoding: data, as: UTF8.self)
            guard let edited = try? edit.applied(to: text, file: "fuzz.yaml", kinds: FeedRegistry.kinds)
            else { continue }
            let new = Data(edited.utf8)
            var expected = settings
            expected.sources[index].offset = .seconds(77 * 60)
            try hold(outcome(new) == .success(expected), "an edit of \(quoted(source.name)) changes other settings")
            let start = zip(data, new).prefix { $0 == $1 }.count
            let end = zip(data.dropFirst(start).reversed(), new.dropFirst(start).reversed()).prefix { $0 == $1 }.count
            let gone = data.dropFirst(start).dropLast(end)
            // Quotes may hold a value that goes on behind a line.
            let isKept = gone.first == UInt8(ascii: "\"") || !gone.contains { "#\r\n".utf8.contains($0) }
            try hold(isKept, "an edit of \(quoted(source.name)) takes \(gone.count) bytes away")
        }
    }

    private static func checkFaults(_ errors: SettingsErrors, of data: Data) throws(BrokenInvariant) {
        try hold(!errors.faults.isEmpty, "a refusal without a fault")
        let lines = data.reduce(1) { $0 + ($1 == 0x0A || $1 == 0x0D ? 1 : 0) }
        for fault in errors.faults {
            try hold(fault.found.contains { !$0.isWhitespace }, "a fault that does not say what was found")
            try TextCheck.check(fault.description, "a fault", atMost: 4_096)
            if let position = fault.position {
                try hold(position.line >= 1 && position.column >= 1, "a fault at \(position.line):\(position.column)")
                // U+0085, U+2028 and U+2029 end lines of YAML as well; each has more than one byte.
                try hold(position.line <= lines + data.count / 2, "a fault on line \(position.line) of \(lines)")
            }
            for words in [fault.found, fault.accepted, fault.suggestion ?? ""] {
                try hold(!words.contains(marker), "a fault tells a secret: \(quoted(fault.description))")
            }
        }
        let order = errors.faults.map { ($0.line, $0.column) }
        try hold(zip(order, order.dropFirst()).allSatisfy { $0 <= $1 }, "faults that are not in order")
    }

    private static func checkSettings(_ settings: Settings) throws(BrokenInvariant) {
        try hold(!settings.sources.isEmpty, "settings without a source")
        let names = settings.sources.map { $0.name }
        try hold(Set(names).count == names.count, "two sources of one name")
        for source in settings.sources {
            try TextCheck.check(source.name, "a source's name", atMost: 64)
            try TextCheck.check(source.url, "a source's URL", atMost: 1 << 20)
            let isHere = ["localhost", "127.", "[::1]"].contains { source.url.lowercased().contains($0) }
            try hold(
                source.refreshInterval >= .seconds(isHere ? 1 : 10), "a source is asked every \(source.refreshInterval)"
            )
            try hold(source.maxAge >= .seconds(60), "events are kept for \(source.maxAge)")
            try hold(source.offset >= .zero, "a first poll after \(source.offset)")
        }
        for map in settings.serve.basemaps {
            guard let origin = map.origin else { continue }
            // It becomes a part of the page's policy.
            let isPlain = origin.utf8.allSatisfy { byte in
                switch byte {
                case 0x2D...0x2E, 0x30...0x3A, 0x5F, 0x61...0x7A: true
                default: UInt8(ascii: "/") == byte
                }
            }
            try hold(isPlain && origin.hasPrefix("https://"), "tiles from \(origin)")
        }
        try checkTelling(settings)
        try hold((1...1024).contains(settings.fetch.concurrency), "a concurrency of \(settings.fetch.concurrency)")
        try hold((settings.controlSocket?.utf8.count ?? 0) <= 107, "a control socket that cannot be made")
    }

    private static func checkTelling(_ settings: Settings) throws(BrokenInvariant) {
        let names = settings.deliver.map(\.name)
        let watches = settings.watches.map(\.name)
        try hold(Set(names).count == names.count && Set(watches).count == watches.count, "two of one name")
        for watch in settings.watches {
            let isTold = !watch.targets.isEmpty && Set(names).isSuperset(of: watch.targets)
            try hold(isTold, "\(quoted(watch.name)) tells nobody")
            try hold(watch.maximumAge >= .seconds(60), "\(quoted(watch.name)) tells for \(watch.maximumAge)")
            if let circle = watch.filter.near {
                try hold((0.1...20_000).contains(circle.kilometres), "a radius of \(circle.kilometres)")
            }
        }
        for delivery in settings.deliver {
            try hold(!delivery.shownAddress.contains(marker), "an address tells a secret")
            for target in delivery.targets {
                try hold((1...1000).contains(target.digestAfter), "a digest of more than \(target.digestAfter)")
                let isAddressed = target.recipient.map { MailAddress($0) != nil } ?? (target.kind != .mail)
                try hold(isAddressed, "\(quoted(target.id)) has no address")
            }
        }
    }
}
