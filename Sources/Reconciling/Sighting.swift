/// Whether a source shows an event as it did the last time, judged without reading the event.
///
/// It does if it has given the same words (`ContentHash`), in any of its topics, and its link needs no renewal: the
/// source promises the event, and has not missed it since.
package enum Sighting {
    /// - Parameters:
    ///   - seen: The hash of the source's last version; nil: the source has not shown the event.
    ///   - missingSince: Since when the source's snapshots miss the event.
    ///   - isPromised: Whether the source's snapshots promise the event.
    ///   - isKnownInTopic: Whether the topic had this version last, even if other topics have had another since.
    package static func isUnchanged(
        _ hash: Int64, seen: Int64?, missingSince: Int64?, isPromised: Bool, isKnownInTopic: () throws -> Bool
    ) rethrows -> Bool {
        guard let seen, seen != ContentHash.ofNothing, isPromised, missingSince == nil else { return false }
        return try seen == hash || isKnownInTopic()
    }
}
