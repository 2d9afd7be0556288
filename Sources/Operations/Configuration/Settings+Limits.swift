public import Engine
public import Fetching
import Model
public import Pictures
public import Settings

extension Settings {
    /// The limits of the engine, from the sections `fetch` and `disk`.
    public var engineLimits: EngineLimits {
        EngineLimits(
            concurrency: fetch.concurrency, perHostConcurrency: fetch.perHostConcurrency,
            perHostGap: fetch.perHostGap, maximumRedirects: fetch.maximumRedirects,
            minimumFreeBytes: Int64(disk.minimumFreeBytes))
    }

    /// When truncation runs, from the section `truncation`: the time to the first run, and from run to run.
    public var truncationPlan: TruncationPlan {
        TruncationPlan(first: truncation.first, interval: truncation.interval)
    }

    /// The file with the pictures, from the section `pictures`; it need not exist.
    public var pictureStore: PictureStore {
        PictureStore(
            beside: database, hosts: PictureHosts(pictures.hosts), maximumBytes: pictures.maximumBytes,
            requestsPerDay: pictures.requestsPerDay)
    }

    /// The limits of a request, from the section `fetch`. The User-Agent names the program and the contact:
    /// `visiventd/0.2.0 (+CONTACT)`.
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
    /// The limits of a request without a configuration: the defaults of `FetchLimits`, and `visiventd/VERSION` as
    /// User-Agent.
    public static var unconfigured: FetchLimits { FetchLimits(userAgent: "visiventd/\(Version.current)") }
}
