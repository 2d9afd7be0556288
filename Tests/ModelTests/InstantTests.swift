import Foundation
import Model
import Testing

@Suite struct InstantTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
            (1_772_323_200_000, "2026-03-01T00:00:00.000Z", "2026-03-01T00:00:00Z"),
            (1_772_323_265_430, "2026-03-01T00:01:05.430Z", "2026-03-01T00:01:05.430Z"),
            (951_782_400_007, "2000-02-29T00:00:00.007Z", "2000-02-29T00:00:00.007Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z", "0000-01-01T00:00:00Z"),
            (-62_167_219_200_001, "-0001-12-31T23:59:59.999Z", "-0001-12-31T23:59:59.999Z"),
        ] as [(Int64, String, String)])
    func timesOfProgramsHaveMillisecondsAlwaysThoseOfPeopleWhereThereAreAny(
        milliseconds: Int64, timestamp: String, rfc3339: String
    ) {
        let instant = Date(milliseconds: milliseconds)
        #expect(instant.timestamp == timestamp)
        #expect(instant.rfc3339 == rfc3339)
    }

    @Test(
        arguments: [(1_772_323_265_930, "Sun, 1 Mar 2026 00:01:05"), (-1, "Wed, 31 Dec 1969 23:59:59")]
            as [(Int64, String)])
    func aFormOfItsOwnIsInUTCAndEnglish(milliseconds: Int64, text: String) {
        #expect(Date(milliseconds: milliseconds).utc("%a, %-d %b %Y %H:%M:%S") == text)
    }
}
