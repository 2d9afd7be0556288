/// For whom a source may speak.
///
/// What the operator writes is authority: a source's kind, its `provider` and its `trusted_for`. What a document says of
/// itself (a guid, a link, a CAP sender) is a claim. A claim that does not hold costs no event: the event gets the
/// source's own identity (`ownID(of:for:)`), so it touches no event of another.
public struct Authority: Sendable, Hashable {
    /// Whether a source may speak for a provider.
    public enum Verdict: Sendable {
        /// It may.
        case holds
        /// It may not.
        case fails
        /// It may if it showed the provider first, or is on the same registrable domain as the source that did. The
        /// store knows.
        case byFirstSight
    }

    /// The providers that other kinds' documents name, with the hosts that prove them. No other claim takes their name.
    public static let hosts: [String: [String]] = [
        "usgs": ["usgs.gov"], "gvp": ["volcano.si.edu"], "reuters": ["reuters.com"], "twitter": [],
    ]
    /// The word in `trusted_for` for all CAP senders that are not the identity of a source.
    public static let allSenders = "*"

    /// The provider of events that name no other.
    public let identity: String
    /// The registrable domain of the source's address; nil where a domain proves nothing: files, addresses of this
    /// machine, hosts that publish for anybody.
    public let domain: String?
    /// The provider of all events of the source's kind; nil if documents name it.
    private let kindProvider: String?
    /// Providers for which the operator lets the source speak, in lower case.
    private let granted: Set<String>
    private let isTrustedForAllSenders: Bool
    /// The providers in `hosts` that the source's address proves.
    private var proved: Set<String>
    /// The identities of all sources, in lower case.
    private var identities: Set<String> = []
    /// The providers for which the operator lets any source speak by name, in lower case.
    private var grantedToAny: Set<String> = []

    /// The authority of a source that is the only one.
    /// - Parameters:
    ///   - kindProvider: `FeedKind.provider`.
    ///   - domain: The registrable domain of the source's address; nil: none.
    public init(of source: SourceSettings, kindProvider: String?, domain: String?) {
        identity = source.identity
        self.domain = domain
        self.kindProvider = kindProvider
        isTrustedForAllSenders = source.trustedFor.contains(Self.allSenders)
        let names = [source.identity, kindProvider].compactMap { $0 } + source.trustedFor
        granted = Set(names.filter { $0 != Self.allSenders }.map { $0.lowercased() })
        let urls = source.urls().map(\.url)
        proved = urls.isEmpty ? [] : Set(Self.hosts.keys)
        prove(by: urls)
    }

    /// The authorities of all configured sources, disabled ones included, in their order.
    public static func all(
        of sources: [(settings: SourceSettings, kindProvider: String?, domain: String?)]
    ) -> [Authority] {
        var all = sources.map { Authority(of: $0.settings, kindProvider: $0.kindProvider, domain: $0.domain) }
        let identities = Set(all.map { $0.identity.lowercased() })
        let granted = all.reduce(into: Set<String>()) { $0.formUnion($1.granted) }
        for index in all.indices { (all[index].identities, all[index].grantedToAny) = (identities, granted) }
        return all
    }

    /// Drops what the hosts of these URLs do not prove: those of an answer and of all redirects that led to it.
    public mutating func prove(by urls: [String]) {
        guard !proved.isEmpty else { return }
        for url in urls {
            let parts = URLParts(url)
            proved = proved.filter { name in
                parts?.isWeb == true && Self.hosts[name, default: []].contains { parts?.isBelow(domain: $0) == true }
            }
        }
    }

    /// Whether the source may speak for a provider, by what the operator has written and by the addresses.
    public func verdict(on provider: String) -> Verdict {
        if provider == identity || provider == kindProvider { return .holds }
        let name = provider.lowercased()
        if granted.contains(name) || proved.contains(name) { return .holds }
        if Self.hosts[name] != nil || identities.contains(name) { return .fails }
        if isTrustedForAllSenders { return .holds }
        return grantedToAny.contains(name) ? .fails : .byFirstSight
    }

    /// Whether a provider is named by documents, and not by the source itself or its kind.
    public func isClaim(_ provider: String) -> Bool { provider != identity && provider != kindProvider }

    /// Whether the operator lets the source speak for this CAP sender by name.
    public func isConfigured(for sender: String) -> Bool {
        let name = sender.lowercased()
        return granted.contains(name) && Self.hosts[name] == nil
    }

    /// The id, under the source's own identity, of an event that claims to be another provider's.
    public static func ownID(of id: String, for provider: String) -> String { "\(provider),\(id)" }
}
