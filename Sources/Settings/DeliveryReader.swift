import Model
import Telling

/// Reads the list `deliver`.
struct DeliveryReader {
    let top: MappingReader
    let paths: PathResolver

    private static let most = 50
    private static let mostRecipients = 100

    private static func keys(of kind: Target.Kind) -> [String] {
        switch kind {
        case .webhook: ["url", "url_file", "signing_file", "form"]
        case .ntfy: ["url", "topic_file", "token_file"]
        case .mail: ["server", "from", "to", "user", "password_file"]
        }
    }

    /// The targets; faults are noted.
    func deliveries() -> [DeliverySettings] {
        var taken: Set<String> = []
        let read = top.mappings("deliver", most: Self.most).compactMap { delivery($0, taken: &taken) }
        let recipients = read.flatMap(\.targets).count(where: { $0.kind == .mail })
        if recipients > Self.mostRecipients {
            top.note("deliver", "found \(recipients) recipients of mail", accepted: "at most \(Self.mostRecipients)")
        }
        return read
    }

    private func delivery(_ keys: MappingReader, taken: inout Set<String>) -> DeliverySettings? {
        let name = keys.name(taken: &taken)
        guard keys.has("kind", accepted: Target.Kind.allCases.map(\.rawValue).joined(separator: ", ")),
            let kind = keys.word("kind", of: Target.Kind.self)
        else { return nil }
        let common = ["name", "kind", "digest_after", "map", "ca_file"]
        keys.refuseUnknown(known: common + Self.keys(of: kind), of: " for kind \(kind.rawValue)")
        var settings = DeliverySettings(targets: [])
        var recipients: [MailAddress?] = [nil]
        switch kind {
        case .webhook: readWebhook(keys, &settings)
        case .ntfy: readServer(keys, &settings)
        case .mail: recipients = readMail(keys, &settings)
        }
        if keys.member("map") != nil { settings.form.map = url(keys, "map") }
        settings.certificateAuthorityFile = keys.filePath("ca_file", paths)
        let most = keys.integer("digest_after", in: 1...1000)
        guard let name else { return nil }
        let address = [kind.rawValue, settings.url ?? settings.urlFile ?? "", settings.topicFile ?? ""]
        settings.targets = recipients.map { recipient in
            // Until the file with the address is read, nothing is known that others could share.
            var target = Target(
                name: name, kind: kind, recipient: recipient?.description,
                host: settings.url.map { Origin($0).host } ?? name,
                fingerprint: FNV64.hex(address.joined(separator: "\u{1}")),
                isForPeople: settings.form.kind == .slack || most != nil)
            target.digestAfter = most ?? target.digestAfter
            return target
        }
        return settings
    }

    private func readWebhook(_ keys: MappingReader, _ settings: inout DeliverySettings) {
        if keys.member("url_file") == nil {
            settings.url = url(keys, "url", orBeside: ", or url_file with \(SecretPlace.accepted)")
        } else if keys.member("url") != nil {
            keys.note("url", "found beside url_file", accepted: "one of the two")
        }
        settings.urlFile = keys.secretPlace("url_file", paths)
        settings.signingFile = keys.secretPlace("signing_file", paths)
        settings.form.kind = keys.choice("form", of: [("json", .webhook), ("slack", .slack)]) ?? .webhook
    }

    private func readServer(_ keys: MappingReader, _ settings: inout DeliverySettings) {
        settings.form.kind = .ntfy
        settings.url = url(keys, "url")
        _ = keys.has("topic_file", accepted: SecretPlace.accepted)
        settings.topicFile = keys.secretPlace("topic_file", paths)
        settings.tokenFile = keys.secretPlace("token_file", paths)
    }

    private func url(_ keys: MappingReader, _ key: String, orBeside other: String = "") -> String? {
        guard let url = keys.required(key, accepted: SourceURL.acceptedTarget + other) else { return nil }
        guard let problem = SourceURL.problem(withTarget: url) else { return url }
        keys.note(key, problem.found, accepted: problem.accepted)
        return nil
    }

    /// Returns the recipients.
    private func readMail(_ keys: MappingReader, _ settings: inout DeliverySettings) -> [MailAddress] {
        settings.url = keys.required("server", accepted: SourceURL.acceptedMailServer)
        if let problem = settings.url.flatMap(SourceURL.problem(withMailServer:)) {
            keys.note("server", problem.found, accepted: problem.accepted)
        }
        let accepted = "an address such as desk@example.org"
        if keys.has("from", accepted: accepted) {
            let from = keys.value("from", accepted: accepted, read: { $0.text.flatMap { MailAddress($0) } })
            if let from { settings.form.kind = .mail(from: from) }
        }
        settings.user = keys.text("user")
        settings.passwordFile = keys.secretPlace("password_file", paths)
        for (key, other) in [("user", "password_file"), ("password_file", "user")] where keys.member(key) != nil {
            _ = keys.has(other, accepted: "a value beside \(key)")
        }
        var taken: Set<MailAddress> = []
        return keys.requiredValues("to", accepted: accepted) { text in
            MailAddress(text).flatMap { taken.insert($0).inserted ? $0 : nil }
        }
    }
}
