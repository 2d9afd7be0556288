import Model

/// The place of an event that its report was written far from: ROME for a fire in Palermo.
///
/// A place rivals the dateline if the title says that something is there, or the first sentence behind the dateline
/// (`Standing.situated`). Other names of the title rival it only if neither text names the dateline's country. What the
/// texts say of the dateline's own place or of an area around it settles for the dateline, and so does any doubt.
struct DatelineRival {
    let resolver: Resolver
    let finder: PlaceFinder

    /// A place that the event's words put it at.
    struct Finding {
        let resolution: Resolution
        let evidence: PlaceEvidence
        /// The distance that the text measures from the place; nil: none.
        let distance: MeasuredDistance?
    }

    /// The place elsewhere; nil keeps the dateline.
    ///
    /// The names are read twice, alone and with the dateline as their home: in a report from Toronto, London may be in
    /// Ontario. Where the readings differ, nothing is sure.
    func place(of event: UnlocatedEvent, _ words: EventText, dateline: Place) throws(GazetteerError) -> Finding? {
        let opening = Opening(event, words)
        let isForeign = try !names(dateline.country, in: opening)
        let context = event.context.country == nil ? event.home : event.context
        let plain = try reading(opening, event.language, context, dateline, isForeign: isForeign)
        guard event.context.country == nil else { return plain.place }
        let home = PlaceContext(country: dateline.country, region: dateline.region.isEmpty ? nil : dateline.region)
        let local = try reading(opening, event.language, home, dateline, isForeign: isForeign)
        if plain.keepsDateline || local.keepsDateline { return nil }
        guard let one = plain.place, let other = local.place else { return plain.place ?? local.place }
        return one.resolution.place.id == other.resolution.place.id ? one : nil
    }

    // MARK: - The opening

    /// The title and the first sentence behind the dateline, with the positions of both in the lead of the text.
    private struct Opening {
        let text: String
        let title: Range<String.Index>
        let sentence: Range<String.Index>

        init(_ event: UnlocatedEvent, _ words: EventText) {
            text = words.opening
            title = text.startIndex..<words.titleEnd
            let place = (event.place ?? "").utf8
            // Texts that `hasPrefix` finds equal may differ in length.
            let isRepeated = text.utf8[words.body...].starts(with: place)
            let start = isRepeated ? text.utf8.index(words.body, offsetBy: place.count) : words.body
            let end = text.index(start, offsetBy: Self.longest, limitedBy: text.endIndex) ?? text.endIndex
            // A copy has other indices.
            let length = Self.firstSentence(of: String(text[start..<end]))
            sentence = start..<text.utf8.index(start, offsetBy: length)
        }

        /// Characters behind the dateline that are read.
        private static let longest = 500

        /// Length of the first sentence in bytes of UTF-8.
        private static func firstSentence(of text: String) -> Int {
            let tokens = TextToken.tokens(of: text)
            let next = tokens.indices.dropFirst().first { index in
                tokens[index].startsSentence
                    && (tokens[index].gap == .paragraph
                        || tokens.sign(at: index - 1).map { [".", "!", "?"].contains($0) } ?? false)
            }
            let end = next.map { tokens[$0].range.lowerBound } ?? text.endIndex
            return text.utf8.distance(from: text.startIndex, to: end)
        }
    }

    /// Whether title or first sentence name the country, its people or a part of it.
    private func names(_ country: String, in opening: Opening) throws(GazetteerError) -> Bool {
        let text = opening.text[opening.title] + "\n\n" + opening.text[opening.sentence]
        return try DocumentAreas(in: DocumentText(String(text)), resolver: resolver).hits.contains { hit in
            hit.areas.contains { $0.country == country }
        }
    }

    // MARK: - Reading

    /// What a reading finds.
    private struct Reading {
        var place: Finding?
        /// Whether the title names the dateline's own place, as the one who acts (`Moscow denies`), or several places
        /// elsewhere lie apart.
        var keepsDateline = false
    }

    private func reading(
        _ opening: Opening, _ language: String?, _ context: PlaceContext, _ dateline: Place, isForeign: Bool
    ) throws(GazetteerError) -> Reading {
        let read = try finder.read(opening.text, context: context, dateline: dateline, language: language)
        let found = read.places.filter { $0.distance?.isUsable ?? true }
        let title = found.filter { opening.title.contains($0.range.lowerBound) }
        let sentence = found.filter { opening.sentence.contains($0.range.lowerBound) }
        // `Fires in Idlib and in Nice`, of which one is not sure.
        let isUnsure = context.region == nil && read.doubtful.contains { opening.title.contains($0.lowerBound) }
        if isUnsure || title.contains(where: { $0.resolution.place.id == dateline.id }) {
            return Reading(keepsDateline: true)
        }
        let isForeign = isForeign && !(title + sentence).contains { $0.resolution.place.country == dateline.country }
        let rivals = title.filter { Self.isElsewhere($0.resolution.place, dateline, isForeign: isForeign) }
        let later = sentence.filter { place in
            place.standing == .situated && Self.isElsewhere(place.resolution.place, dateline, isForeign: isForeign)
                && (isForeign || place.resolution.place.country == dateline.country)
        }
        let areas = title.map { $0.resolution.place }.filter { $0.kind != .city }
        for kinds in [[.city], [.district, .region], [.country]] as [[Place.Kind]] {
            func level(_ places: [FoundPlace]) -> [FoundPlace] {
                places.filter { kinds.contains($0.resolution.place.kind) }
            }
            var candidates = level(rivals).filter { $0.standing == .situated || $0.distance != nil }
            if candidates.isEmpty, isForeign { candidates = level(rivals).filter { Self.isSubject($0) } }
            var evidence = PlaceEvidence.title
            if candidates.isEmpty {
                evidence = .summary
                candidates = level(later).filter { later in
                    areas.isEmpty || areas.contains { later.resolution.place.lies(in: $0) }
                }
            }
            guard let first = candidates.first else { continue }
            let isOne = candidates.allSatisfy { EventPlaces.areNear($0.resolution.place, first.resolution.place) }
            guard isOne else { return Reading(keepsDateline: true) }
            return Reading(
                place: Finding(resolution: first.resolution, evidence: evidence, distance: first.distance))
        }
        return Reading()
    }

    /// Whether the place neither is nor contains the dateline's. A country is elsewhere only if the dateline's country
    /// is not named, since `U.S. sees progress in Syria` is news of both.
    private static func isElsewhere(_ place: Place, _ dateline: Place, isForeign: Bool) -> Bool {
        place.id != dateline.id && !dateline.lies(in: place) && (place.kind != .country || isForeign)
    }

    /// Whether a name of the title that is not `situated` may be where the event is. A bare country or capital may be a
    /// government.
    private static func isSubject(_ found: FoundPlace) -> Bool {
        let place = found.resolution.place
        if found.standing == .afar { return false }
        return switch place.kind {
        case .city: found.standing == .attributive || place.feature != "PPLC"
        case .district, .region: found.standing == .attributive
        case .country: false
        }
    }
}
