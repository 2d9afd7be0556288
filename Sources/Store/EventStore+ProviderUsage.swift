public import Foundation
public import Model
import SQLite

extension EventStore {
    /// Counts a request to a service before it is sent, unless a quota is used up. The commit waits for the disk.
    ///
    /// Days and months are those of UTC. If both quotas are used up, the answer is the month, which ends later; a quota
    /// goes before a source's share. Throws `StoreError`; the request must not be made then.
    public func reserve(_ reservation: ProviderReservation) throws(StoreError) -> ReservationAnswer {
        let provider = reservation.provider
        return try transaction(isDurable: true) { writer -> ReservationAnswer in
            let usage = try writer.connection.usage(at: reservation.at)[provider] ?? ProviderUsage()
            if let quota = reservation.monthlyQuota, usage.thisMonth >= quota { return .monthIsFull }
            if let quota = reservation.dailyQuota, usage.today >= quota { return .dayIsFull }
            if let share = reservation.share, let source = reservation.source,
                try writer.connection.requests(ofSource: source, to: provider, at: reservation.at) >= share
            {
                return .shareIsFull
            }
            var periods = [reservation.at.day, reservation.at.month]
            if let source = reservation.source { periods.append(reservation.at.dayShare(of: source)) }
            for period in periods {
                try writer.connection.run(
                    """
                    INSERT INTO provider_usage (provider, period, requests, last_ms) VALUES (?, ?, 1, ?)
                    ON CONFLICT (provider, period) DO UPDATE SET requests = requests + 1, last_ms = excluded.last_ms
                    """, provider.rawValue, period, reservation.at.milliseconds)
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
    /// The day in UTC, for the requests of one source: `2026-03-01 news`.
    fileprivate func dayShare(of source: String) -> String { "\(day) \(source)" }
}

extension Connection {
    fileprivate func requests(ofSource source: String, to provider: GeocodeProvider, at now: Date) throws -> Int64 {
        try firstInt64(
            "SELECT requests FROM provider_usage WHERE provider = ? AND period = ?", provider.rawValue,
            now.dayShare(of: source)) ?? 0
    }

    /// The requests to all services in the day of `now`, by the source that asked.
    func requestsBySource(at now: Date) throws -> [String: Int64] {
        let find = try prepare(
            """
            SELECT substr(period, length(?1) + 1), sum(requests) FROM provider_usage
            WHERE substr(period, 1, length(?1)) = ?1 GROUP BY 1
            """, now.dayShare(of: ""))
        return try find.dictionary { ($0.string(0), $0.int64(1)) }
    }

    fileprivate func usage(at now: Date) throws -> [GeocodeProvider: ProviderUsage] {
        let find = try prepare(
            """
            SELECT provider, max(last_ms), sum(iif(period = ?1, requests, 0)), sum(iif(period = ?2, requests, 0))
            FROM provider_usage GROUP BY provider
            """, now.day, now.month)
        return try find.dictionary { row in
            GeocodeProvider(rawValue: row.string(0)).map {
                ($0, ProviderUsage(lastRequest: row.date(1), today: Int(row.int64(2)), thisMonth: Int(row.int64(3))))
            }
        }
    }
}
