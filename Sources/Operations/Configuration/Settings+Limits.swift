public import Engine
public import Fetching
public import Settings

extension Settings {
    /// The limits of the engine.
    public var engineLimits: EngineLimits {
        EngineLimits(
            concurrency: fetch.concurrency, perHostConcurrency: fetch.perHostConcurrency,
            perHostGap: fetch.perHostGap, maximumRedirects: fetch.maximumRedirects,
            minimumFreeBytes: Int64(disk.minimumFreeBytes))
    }

    /// When truncation runs.
    public var truncationPlan: TruncationPlan {
        TruncationPlan(first: truncation.first, interval: truncation.interval)
    }

    /// The limits of a request; the User-Agent names the program and the contact.
    public var fetchLimits: FetchLimits {
        var limits = FetchLimits.unconfigured
        if let contact { limits.userAgent += " (+\(contact))" }
        limits.connectTimeout = fetch.connectTimeout
        limits.totalTimeout = fetch.totalTimeout
        limits.stallTimeout = fetch.stallTimeout
        limits.maximumBodyBytes = fetch.maximumBodyBytes
        limits.maximumTransferBytes = fetch.maximumTransferBytes
        return limits
    }
}

extension FetchLimits {
    /// The limits of a request without a configuration: the defaults.
    public static var unconfigured: FetchLimits { FetchLimits(userAgent: "visiventd/\(Version.current)") }
}
