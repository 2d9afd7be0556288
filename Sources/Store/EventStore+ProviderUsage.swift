public import Foundation
public import Model
import SQLite

extension EventStore {
    /// Counts a request to a service before it is sent, unless a quota is used up. The commit waits for the disk.
    ///
    /// Days and months are those of UTC. If both quotas are used up, the answer is the month, which ends later. Throws
    /// `StoreError`; the request must not be made then.
    public func reserve(_ reservation: ProviderReservation) throws(StoreError) -> ReservationAnswer {
        let provider = reservation.provider
        return try transaction(isDurable: true) { writer -> ReservationAnswer in
            let usage = try writer.connection.usage(at: reservation.at)[provider] ?? ProviderUsage()
            if let quota = reservation.monthlyQuota, usage.thisMonth >= quota { return .monthIsFull }
            if let quota = reservation.dailyQuota, usage.today >= quota { return .dayIsFull }
            let upsert = try writer.connection.prepare(
                """
                INSERT INTO provider_usage (provider, period, requests, last_ms) VALUES (?, ?, 1, ?)
                ON CONFLICT (provider, period) DO UPDATE SET requests = requests + 1, last_ms = excluded.last_ms
                """)
            for period in [reservation.at.day, reservation.at.month] {
                upsert.bind(provider.rawValue)
                upsert.bind(period)
                upsert.bind(reservation.at.milliseconds)
                try upsert.run()
            }
            return .granted
        }
    }

    /// The requests to each service so far, including this day's and this month's (UTC) at `now`; services never asked
    /// are left out. Throws `StoreError`.
    public func providerUsage(at now: Date) throws(StoreError) -> [GeocodeProvider: ProviderUsage] {
        try read { try $0.usage(at: now) }
    }
}

extension Date {
    /// The day in UTC: `2026-03-01`.
    fileprivate var day: String { String(rfc3339.prefix(10)) }
    /// The calendar month in UTC: `2026-03`.
    fileprivate var month: String { String(rfc3339.prefix(7)) }
}

extension Connection {
    fileprivate func usage(at now: Date) throws -> [GeocodeProvider: ProviderUsage] {
        let find = try prepare(
            """
            SELECT provider, max(last_ms), sum(iif(period = ?1, requests, 0)), sum(iif(period = ?2, requests, 0))
            FROM provider_usage GROUP BY provider
            """)
        find.bind(now.day)
        find.bind(now.month)
        var usage: [GeocodeProvider: ProviderUsage] = [:]
        while try find.step() {
            guard let provider = GeocodeProvider(rawValue: find.string(0)) else { continue }
            usage[provider] = ProviderUsage(
                lastRequest: find.date(1), today: Int(find.int64(2)), thisMonth: Int(find.int64(3)))
        }
        return usage
    }
}

extension EventStore {
    /// Stores why a service cannot be asked, in words for people, for `status`; nil: it can. Throws `StoreError`.
    public func setTrouble(_ trouble: String?, of provider: GeocodeProvider) throws(StoreError) {
        try setValue(trouble, for: "trouble_\(provider.rawValue)")
    }

    /// Replaces the troubles of all services; a service left out has none. Writes only differences, one transaction
    /// each; throws `StoreError` at the first that fails.
    public func setTroubles(_ troubles: [GeocodeProvider: String]) throws(StoreError) {
        for provider in GeocodeProvider.allCases where try trouble(of: provider) != troubles[provider] {
            try setTrouble(troubles[provider], of: provider)
        }
    }

    /// Why a service cannot be asked, in words for people; nil if it can. Throws `StoreError`.
    public func trouble(of provider: GeocodeProvider) throws(StoreError) -> String? {
        try value("trouble_\(provider.rawValue)")
    }
}
