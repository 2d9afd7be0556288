public import Engine
public import Fetching
public import Settings

extension Settings {
    /// The engine's limits.
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

    /// What a request is allowed; the User-Agent names the program and whom to reach.
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
    /// What a request is allowed where no configuration says so.
    public static var unconfigured: FetchLimits { FetchLimits(userAgent: "visiventd/\(Version.current)") }
}
