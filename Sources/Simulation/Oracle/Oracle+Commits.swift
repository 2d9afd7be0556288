import Engine
import Foundation
import Model
import Store

// The effects of an answer when it is committed: promises 1 to 4, 9 and 10.
extension Oracle {
    /// Whether an unknown item is stored.
    enum Verdict {
        case must, may, mustNot
    }

    /// An answer whose commit is being judged.
    struct Taking {
        var source: String
        var expectedEvents: [ExpectedEvent] = []
        var snapshot: Snapshot?
        /// Verdicts on unknown items, by the key of their first name.
        var verdicts: [String: Verdict] = [:]
        /// Known events that the document words anew, with its version.
        var reworded: [(entry: LedgerEntry, expected: ExpectedEvent)] = []
        /// Public ids of known events that the document lists, and of those with news.
        var shown: Set<String> = []
        var news: Set<String> = []
        /// Public ids that the document lists under two names.
        var twice: Set<String> = []
        /// Events that names in the document make one.
        var kin: [[LedgerEntry]] = []
        /// Events that the document has split off, by the key of their first name, with the sources that listed the
        /// row.
        var split: [String: Set<String>] = [:]
        /// Names that an old version lists beside another event's, although they were split from it since.
        var outdated: Set<String> = []
        var isStale = false
        /// Whether its snapshot claims to be made more than a day from now, so that it proves nothing.
        var isDoubtful = false
        /// Whether the previous content of the document is known.
        var isRemembered = false
    }

    /// Judges a step that is stored.
    func stepped(
        _ step: PollStep, _ counts: StepResult, _ pending: Pending?, answers: Bool, at now: Moment
    ) throws {
        if step.isClockTrusted { settleFirstSights(at: step.at) }
        var taking = Taking(source: step.source)
        if answers {
            guard let pending else { throw SimulationError("an answer that nobody gave is stored") }
            try take(pending, step, counts, into: &taking, at: now)
        }
        try readChanges(of: taking, at: now, step: step, counts: counts)
        keepValidators(step)
        if let state = step.state { sources[step.source]?.state = state }
        if let pending, answers { try checkValidators(pending, step, taking, at: now) }
        if let end = step.end { try ended(step.source, end, at: now) }
    }

    /// Dates first sights under a doubtful clock to the first moment at which the clock is trusted.
    private func settleFirstSights(at time: Date) {
        for id in provisional {
            entries[id]?.firstSeen = time
            entries[id]?.isProvisional = false
        }
        provisional = []
    }

    // MARK: - Expected events

    private func take(
        _ pending: Pending, _ step: PollStep, _ counts: StepResult, into taking: inout Taking, at now: Moment
    ) throws {
        let url = pending.order.url
        guard case .body = pending.reply.answer, !pending.reply.isUnusable else {
            throw broken(4, "an answer of \(url) that is no whole document has been taken", at: now)
        }
        remember(pending.reply.expectedEvents)
        if let snapshot = pending.reply.snapshot {
            taking.isStale = isStale(snapshot, step, polled: pending.order.context.now)
            guard counts.wasStale == taking.isStale else {
                let word = taking.isStale ? "not newer than the last one, but was taken" : "newer, but was left out"
                throw broken(4, "the snapshot \(url) of \(snapshot.generated.rfc3339) is \(word)", at: now)
            }
            if taking.isStale { return }
            taking.isDoubtful = Self.isDoubtful(snapshot, polled: pending.order.context.now)
            taking.snapshot = snapshot
        }
        let refused = counts.refused.values.reduce(0, +)
        guard refused >= pending.reply.badItems else {
            throw broken(10, "\(pending.reply.badItems) bad items of \(url), \(refused) counted as refused", at: now)
        }
        taking.expectedEvents = pending.reply.expectedEvents
        // A redirect does not make it another document.
        let document = pending.order.request.url
        taking.isRemembered = sources[step.source]?.said[document] != nil
        var said = sources[step.source]?.said[document] ?? Said()
        let listedLast = sources[step.source]?.listedLast ?? []
        sources[step.source]?.said[document] = nil
        let isList = taking.snapshot != nil && !taking.isDoubtful
        taking.split = try isList ? split(taking.expectedEvents, at: now) : [:]
        var listed: Set<String> = []
        for expected in taking.expectedEvents {
            let keys = expected.names.map { Self.key(expected.provider, $0) }
            guard expected.purpose == .event else {
                if takenBack.isDisjoint(with: keys) { faults.hit(Self.fault(of: expected.purpose)) }
                takenBack.formUnion(keys)
                continue
            }
            listed.insert(keys[0])
            let isNews = said.expectedEvents.updateValue(expected, forKey: keys[0]) != expected
            let isBack = !said.listed.contains(keys[0])
            var known: [LedgerEntry] = []
            for key in keys {
                if let entry = byName[key], !known.contains(where: { $0 === entry }) { known.append(entry) }
            }
            guard let first = known.first else {
                taking.verdicts[keys[0]] = taking.split[keys[0]] != nil ? .must : verdict(expected, step)
                continue
            }
            // An older version does not merge again what was split since.
            if isList, let own = byName[keys[0]], let new = expected.updated, let old = own.updated, new < old {
                for other in known where other !== own { taking.outdated.formUnion(other.names) }
                known = [own]
            }
            if known.count > 1 { taking.kin.append(known) }
            if known.count == 1, !first.keys.contains(keys[0]) || keys.contains(where: { byName[$0] == nil }) {
                faults.hit(.idChange)
            }
            for entry in known {
                if !taking.shown.insert(entry.publicID).inserted {
                    taking.twice.insert(entry.publicID)
                    entry.wasTwice = true
                }
                let isUnheard = entry.unheard.remove(step.source) != nil
                // The first listing by this source is news, even if the source said the same before the event was
                // stored, such as while its filter refused it.
                let isFirst = entry.sources.insert(step.source).inserted
                // Another document of the source may have listed only one of the two since.
                let isTwin = entry.wasTwice && !listedLast.contains(keys[0])
                if isNews || isBack || isTwin || isUnheard || isFirst { taking.news.insert(entry.publicID) }
                entry.see(expected.time)
                entry.list(under: expected.names)
            }
            find(keys)
            for key in keys where byName[key] == nil {
                byName[key] = first
                first.names.insert(String(key.dropFirst(expected.provider.count + 1)))
            }
            // What one document of the source has said is no news in another.
            let isRepeated =
                sources[step.source]?.said.values.contains { $0.expectedEvents[keys[0]] == expected } ?? false
            if isNews, !(isRepeated && first.wasTwice) { taking.reworded.append((first, expected)) }
        }
        // If a document has listed an event twice and no longer does, the listing that remains is news.
        for key in said.listed.union(listedLast) where !listed.contains(key) {
            if let entry = byName[key], taking.shown.contains(entry.publicID) { taking.news.insert(entry.publicID) }
        }
        said.listed = listed
        sources[step.source]?.said[document] = said
        sources[step.source]?.lastDocument = document
    }

    private static func fault(of purpose: ExpectedEvent.Purpose) -> FaultKind {
        switch purpose {
        case .event, .deletion: .deletion
        case .cancellation: .cancellation
        case .erasure: .erasure
        }
    }

    private static func isDoubtful(_ snapshot: Snapshot, polled: Date) -> Bool {
        snapshot.generated.timeIntervalSince(polled) > 86_400
    }

    /// Whether a snapshot is not newer than the last one; a newer one becomes the last.
    private func isStale(_ snapshot: Snapshot, _ step: PollStep, polled: Date) -> Bool {
        guard !Self.isDoubtful(snapshot, polled: polled) else { return false }
        let last = sources[step.source]?.snapshot
        let isSame = last?.fingerprint == step.fingerprint
        if let last, isSame ? snapshot.generated <= last.generated : snapshot.generated < last.generated { return true }
        sources[step.source]?.snapshot = (generated: snapshot.generated, fingerprint: step.fingerprint)
        return false
    }

    /// Whether an unknown event must be stored, by filter and age.
    private func verdict(_ expected: ExpectedEvent, _ step: PollStep) -> Verdict {
        guard let source = sources[step.source] else { return .may }
        if let least = step.filter.minimumMagnitude, (expected.magnitude ?? -100) < least { return .mustNot }
        if let words = step.filter.keywords?.words {
            let title = expected.title.lowercased()
            guard words.contains(where: { title.contains($0.filter { $0 != "*" }) }) else { return .mustNot }
        }
        let oldest = step.isClockTrusted ? step.at.addingTimeInterval(-source.settings.maxAge.seconds) : .distantPast
        if let base = step.isClockTrusted ? min(expected.time ?? step.at, step.at) : expected.time {
            if base < max(source.horizon, oldest).addingTimeInterval(-0.01) { return .mustNot }
            if base < max(source.possibleHorizon, oldest).addingTimeInterval(0.01) { return .may }
        }
        for name in expected.names {
            if let truncated = truncatedNames[Self.key(expected.provider, name)] {
                return truncated.sources.contains(step.source) && !truncated.isRenewed(by: expected) ? .mustNot : .may
            }
        }
        return .must
    }

    // MARK: - Validators

    private func keepValidators(_ step: PollStep) {
        for (url, value) in step.validators {
            if value.isEmpty {
                sources[step.source]?.validators[url] = nil
            } else {
                sources[step.source]?.validators[url] = (value: value, fingerprint: step.fingerprint)
            }
        }
    }

    /// Checks that the validators of a whole answer are stored with its events, unless follow-ups remain.
    private func checkValidators(_ pending: Pending, _ step: PollStep, _ taking: Taking, at now: Moment) throws {
        guard case .body(_, let etag, let modified, _) = pending.reply.answer, pending.order.request.isConditional
        else { return }
        let value = Validators(etag: etag, lastModified: modified)
        // The events of the answer, in case these validators are found in the store later.
        let keys = taking.expectedEvents.compactMap { expected -> String? in
            let key = Self.key(expected.provider, expected.names[0])
            return expected.purpose == .event && byName[key] != nil ? key : nil
        }
        brought[Self.trail(step.source, pending.order.url, value, step.fingerprint)] = keys
        guard let answer = step.answer, answer.followUps.isEmpty, !value.isEmpty else { return }
        guard step.validators[pending.order.url] == value else {
            let found = step.validators[pending.order.url].map { "\($0)" } ?? "none"
            throw broken(6, "\(pending.order.url) gave \(value), stored with its events is \(found)", at: now)
        }
    }

    static func trail(_ source: String, _ url: String, _ value: Validators, _ fingerprint: String) -> String {
        "\(source) \(url) \(value.etag ?? "") \(value.lastModified ?? "") \(fingerprint)"
    }
}
