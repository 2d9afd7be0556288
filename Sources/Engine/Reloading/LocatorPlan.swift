public import Model

/// What a locator is made from.
///
/// A new locator cancels the request under way and forgets pauses of services. So a reload makes one only if its plan
/// differs from that of the locator in use (`ReloadStep.prepare`).
public struct LocatorPlan: Sendable, Hashable {
    /// A configured geocoding service.
    public struct Service: Sendable, Hashable {
        /// Its limits.
        public var plan: ProviderPlan
        /// Its endpoint.
        public var url: String
        /// Whether it can be asked; false while its key cannot be read.
        public var isReachable: Bool
        /// The key that is sent to it; nil: none.
        public var key: Secret?

        /// Creates a service with these values.
        public init(plan: ProviderPlan, url: String, isReachable: Bool, key: Secret? = nil) {
            self.plan = plan
            self.url = url
            self.isReachable = isReachable
            self.key = key
        }
    }

    /// The name of the sources' settings that concern places (`LookUp.settingsName`).
    public var settings: String
    /// The path of the city table.
    public var table: String
    /// The services, in the order in which they are asked.
    public var services: [Service]

    /// Creates a plan with these values; by default that of a program without a locator.
    public init(settings: String = "", table: String = "", services: [Service] = []) {
        self.settings = settings
        self.table = table
        self.services = services
    }
}
