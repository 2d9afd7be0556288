import Reading

extension CAPDecoder {
    /// The alert's remaining fields as one JSON object, after the members that `writer` already holds.
    func details(of group: [CAPInfo], in alert: CAPAlert, writer: JSONWriter) -> String {
        var writer = writer
        writer.member("identifier", alert.identifier)
        writer.member("sender", alert.sender)
        writer.member("msgType", alert.messageType)
        writer.member("scope", alert.scope)
        writer.member("source", alert.source)
        writer.member("note", alert.note)
        writer.member("incidents", alert.incidents)
        writer.member("references", alert.references.prefix(50).map(\.identifier))
        guard let info = group.first else { return writer.finish() }
        writer.member("category", info.categories)
        writer.member("event", info.event)
        writer.member("responseType", info.responseTypes)
        writer.member("urgency", info.urgency)
        writer.member("severity", info.severity)
        writer.member("certainty", info.certainty)
        writer.member("instruction", info.instruction)
        writer.member("contact", info.contact)
        Self.write(info.eventCodes, as: "eventCodes", to: &writer)
        Self.write(info.parameters, as: "parameters", to: &writer)
        Self.write(Self.few(info.areas.flatMap(\.geocodes)), as: "geocodes", to: &writer)
        writer.member("areaDesc", Self.few(info.areas.compactMap(\.description)))
        writer.member("circles", Self.few(info.areas.flatMap(\.circles)).compactMap { Self.plain($0) })
        Self.write(info.resources.map(Self.object), as: "resources", to: &writer)
        if group.count > 1 {
            writer.member("languages", Self.few(group).map(\.languageTag))
            Self.write(Self.few(group).dropFirst().map(Self.translation), as: "translations", to: &writer)
        }
        return writer.finish()
    }

    /// The first `CAPInfo.maximumEntries` entries.
    private static func few<Entry>(_ list: [Entry]) -> [Entry] { Array(list.prefix(CAPInfo.maximumEntries)) }

    /// Writes an array of JSON objects; writes nothing for an empty one.
    private static func write(_ objects: [String], as key: String, to writer: inout JSONWriter) {
        if !objects.isEmpty { writer.member(key, raw: "[" + objects.joined(separator: ",") + "]") }
    }

    /// Writes values as one object by name. A repeated name gets an array. Empty values are left out, such as those GVP
    /// sends for unknown observatories.
    private static func write(_ values: [CAPValue], as key: String, to writer: inout JSONWriter) {
        var names: [String] = []
        var valuesByName: [String: [String]] = [:]
        for value in values where !value.value.isEmpty {
            if valuesByName[value.name] == nil { names.append(value.name) }
            valuesByName[value.name, default: []].append(value.value)
        }
        guard !names.isEmpty else { return }
        var object = JSONWriter()
        for name in names {
            let all = valuesByName[name] ?? []
            if all.count == 1 {
                object.member(name, all.first)
            } else {
                object.member(name, all)
            }
        }
        writer.member(key, raw: object.finish())
    }

    private static func object(_ resource: CAPResource) -> String {
        var writer = JSONWriter()
        writer.member("resourceDesc", resource.description)
        writer.member("mimeType", resource.mimeType)
        writer.member("size", resource.size.flatMap { Int($0) })
        writer.member("uri", resource.uri)
        return writer.finish()
    }

    private static func translation(_ info: CAPInfo) -> String {
        var writer = JSONWriter()
        writer.member("language", info.languageTag)
        writer.member("headline", info.headline)
        writer.member("event", info.event)
        return writer.finish()
    }
}
