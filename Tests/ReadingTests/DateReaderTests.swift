import Foundation
import Testing

@testable import Reading

@Suite struct DateReaderTests {
    @Test(
        arguments: [
            ("2014-03-21T15:21:43Z", 1_395_415_303), ("2014-03-21t15:21:43z", 1_395_415_303),
            ("2014-03-21 15:21:43", 1_395_415_303), ("  2014-03-21T15:21:43-00:00\n", 1_395_415_303),
            ("2014-03-21T16:21:43+0100", 1_395_415_303), ("2014-03-21T16:21:43+01:00", 1_395_415_303),
            ("2014-03-21T20:51:43+0530", 1_395_415_303), ("2014-03-21T10:21:43-05", 1_395_415_303),
            ("2014-03-21 15:21:43 UTC", 1_395_415_303), ("2014-03-21T15:21:43.5Z", 1_395_415_303.5),
            ("2014-03-21T15:21:43,250Z", 1_395_415_303.25), ("2014-03-21T15:21Z", 1_395_415_260),
            ("2014-03-21", 1_395_360_000), ("2014-03", 1_393_632_000), ("2014", 1_388_534_400),
            ("2016-12-31T23:59:60Z", 1_483_228_800), ("1969-12-31T23:59:59Z", -1), ("2000-02-29", 951_782_400),
            ("2014-03-21T24:00:00Z", 1_395_446_400), ("0002-01-01T00:00:00Z", -62_104_060_800),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
        ] as [(String, Double)]) func rfc3339(text: String, seconds: Double)
    {
        #expect(DateReader.rfc3339(text)?.timeIntervalSince1970 == seconds)
        #expect(DateReader.any(text)?.timeIntervalSince1970 == seconds)
    }

    @Test(
        arguments: [
            ("Wed, 17 Jan 2018 15:50:00 GMT", 0), ("Wed, 17 Jan 2018 15:50:00 UT", 0),
            ("17 Jan 2018 15:50:00 +0000", 0),
            ("Wednesday, 17 January 2018 15:50 Z", 0), ("Wed 17 Jan 2018 15:50:00", 0),
            ("wed, 17 JAN 18 15:50:00 gmt", 0),
            ("Wed, 17-Jan-2018 15:50:00 GMT", 0), ("Wed., 17 Jan. 2018, 15:50 UTC", 0), ("Jan 17, 2018 3:50 PM", 0),
            ("Wed, January 17 2018 15:50:00 GMT", 0), ("Wed, 17 Jan 118 15:50:00 GMT", 0),
            ("Wed, 17 Jan 2018 15:50:00 EST", 5), ("Wed, 17 Jan 2018 15:50:00 EDT", 4), ("17 Jan 2018 15:50:00 CST", 6),
            ("17 Jan 2018 15:50:00 CDT", 5), ("17 Jan 2018 15:50:00 MST", 7), ("17 Jan 2018 15:50:00 MDT", 6),
            ("17 Jan 2018 15:50:00 PST", 8), ("17 Jan 2018 15:50:00 PDT", 7), ("17 Jan 2018 15:50:00 -0500 (EST)", 5),
            ("17 Jan 2018 15:50:00 GMT-05:00", 5), ("17 Jan 2018 15:50:00 +0530", -5.5),
            ("17 Jan 2018 15:50:00 CET", -1),
            ("17 Jan 2018 15:50:00 AEST", -10), ("17 Jan 2018 15:50:00 AEDT", -11), ("17 Jan 2018 15:50:00 WET", 0),
            ("17 Jan 2018 15:50:00 WEST", -1), ("17 Jan 2018 15:50:00 NST", 3.5), ("17 Jan 2018 15:50:00 BST", -1),
            ("17 Jan 2018 15:50:00 IST", -5.5), ("17 Jan 2018 15:50:00 A", 0), ("17 Jan 2018 15:50:00 XYZ", 0),
            ("Tue, 17 Jan 2018 15:50:00 GMT", 0),
        ] as [(String, Double)]) func rfc822(text: String, hoursBehindUTC: Double)
    {
        let expected = 1_516_204_200 + hoursBehindUTC * 3600
        #expect(DateReader.rfc822(text)?.timeIntervalSince1970 == expected)
        #expect(DateReader.any(text)?.timeIntervalSince1970 == expected)
    }

    @Test(
        arguments: [
            ("17 Jan 2018", 1_516_147_200), ("1 Jan 70 00:00:01 GMT", 1), ("1 Sept 2001 00:00 GMT", 999_302_400),
            ("31 Dec 1999 12:30 AM", 946_600_200), ("1 Jan 49 00:00 Z", 2_493_072_000),
        ] as [(String, Double)]) func shorterForms(text: String, seconds: Double)
    {
        #expect(DateReader.rfc822(text)?.timeIntervalSince1970 == seconds)
    }

    @Test(arguments: [
        ("gio, 29 dic 2022 11:13:20 +0100", "2022-12-29T10:13:20.000Z"),
        ("mar, 16 nov 2021 10:00:00 GMT", "2021-11-16T10:00:00.000Z"),
        ("Di, 12 Okt 2021 10:00:00 +0200", "2021-10-12T08:00:00.000Z"),
        ("So., 3. März 2024 10:00 GMT", "2024-03-03T10:00:00.000Z"),
        ("mié, 5 de junio de 2024 10:00 GMT", "2024-06-05T10:00:00.000Z"),
        ("Пт, 26 июл 2019 10:00:00 +0300", "2019-07-26T07:00:00.000Z"),
        ("Thu, June 22, 2023 at 01:11 PM EDT", "2023-06-22T17:11:00.000Z"),
        ("Mon, 16th Nov 2020 13:16:28 GMT", "2020-11-16T13:16:28.000Z"),
        ("1st March 2020", "2020-03-01T00:00:00.000Z"),
        ("Friday, December 22, 2017 - 3:09pm", "2017-12-22T15:09:00.000Z"),
        ("Friday, December 22, 2017 3:09 p.m. EST", "2017-12-22T20:09:00.000Z"),
        ("2016/6/29 15:07:41", "2016-06-29T15:07:41.000Z"), ("2016/06/29", "2016-06-29T00:00:00.000Z"),
        ("2020-11-08T16:20:00-05:00Z", "2020-11-08T21:20:00.000Z"),
        ("FRI, 26 JUL 2019 10:00:00 KST", "2019-07-26T01:00:00.000Z"),
        ("Wed, 29 Sep 2021 21:18:45 ADT", "2021-09-30T00:18:45.000Z"),
        ("Wed, 29 Sep 2021 21:18:45 ChST", "2021-09-29T11:18:45.000Z"),
    ]) func otherWaysToWriteADate(text: String, expected: String) {
        #expect(
            DateReader.reading(text) == DateReader.rfc3339(expected).map { DateReading(date: $0, unknownZone: nil) })
    }

    @Test(arguments: [
        "29 listopad 2022", "5 de 2024", "16xx Nov 2020", "2016/13/29", "16 Nov 2020 at", "1 Nov 2020 3:09 q.m.",
    ])
    func whatHasSeveralMeaningsOrNoneIsNoDate(text: String) {
        #expect(DateReader.any(text) == nil)
    }

    @Test(arguments: [("XYZ", "XYZ"), ("AMT", "AMT"), ("A", "A"), ("Mars/Olympus_Mons", "Mars/Olympus_Mons")])
    func aZoneThatIsNotKnownIsNamed(zone: String, found: String) throws {
        let reading = try #require(DateReader.reading("17 Jan 2018 15:50:00 \(zone)"))
        #expect(reading.unknownZone == found)
        #expect(reading.date.timeIntervalSince1970 == 1_516_204_200)
    }

    @Test(
        .enabled(if: TimeZoneRules.named("America/Los_Angeles") != nil, "tzdata is not installed"),
        arguments: [
            ("Sat, 18 Mar 2023 20:21:00 America/Los_Angeles", "2023-03-19T03:21:00.000Z"),
            ("2023-01-18T20:21:00 America/Los_Angeles", "2023-01-19T04:21:00.000Z"),
            ("18 Jul 2023 20:21 Asia/Kathmandu", "2023-07-18T14:36:00.000Z"),
            ("18 Jul 1923 20:21 America/Argentina/Buenos_Aires", "1923-07-19T00:21:00.000Z"),
        ]) func aZoneOfIANAIsRead(text: String, expected: String)
    {
        #expect(DateReader.any(text) == DateReader.rfc3339(expected))
    }

    @Test(
        arguments: [
            ("Wed Aug 27 13:08:45 +0000 2008", 1_219_842_525), ("Wed Aug 27 15:08:45 +0200 2008", 1_219_842_525),
            ("Wed Aug 27 13:08:45 2008", 1_219_842_525), ("Wed Aug 27 13:08:45 UTC 2008", 1_219_842_525),
            ("Fri Aug  1 00:00:00 2008", 1_217_548_800),
        ] as [(String, Double)]) func twitter(text: String, seconds: Double)
    {
        #expect(DateReader.twitter(text)?.timeIntervalSince1970 == seconds)
        #expect(DateReader.any(text)?.timeIntervalSince1970 == seconds)
    }

    @Test(
        arguments: [
            "", " ", "yesterday", "2014-13-01", "2014-00-10", "2014-02-31", "2014-02-29", "2100-02-29",
            "2014-04-31T00:00:00Z",
            "0000-01-01", "10000-01-01", "2014-03-21T24:00:01Z", "2014-03-21T25:00:00Z", "2014-03-21T15:60:00Z",
            "2014-03-21T15:21:61Z",
            "2014-03-21T", "2014-03-21T15", "2014-03-21T15:21:43.Z", "2014-03-21T15:21:43+25:00",
            "2014-03-21T15:21:43+01:99",
            "2014-3-1", "20140321", "2014-03-21T15:21:43Z and more", "Wed, 32 Jan 2018 15:50:00 GMT",
            "31 Feb 2018 00:00:00 GMT",
            "17 Foo 2018 15:50:00 GMT", "Foo, 17 Jan 2018 15:50:00 GMT", "Wed, 17 Jan 2018 15:50:00 GMT GMT", "17 Jan",
            "Wed Aug 27 13:08:45 +0000", "Wed Foo 27 13:08:45 +0000 2008", "Jan 17, 2018 13:50 PM", "1518478934",
            "12:30",
            "17 Jan 2018 15:50:00 +", "Wed Aug 27 13:08:45 +0000 08", "17 Ja 2018", "\u{0}", "２０１４-03-21",
        ] as [String]) func whatIsNoDateIsRefused(text: String)
    {
        #expect(DateReader.any(text) == nil)
    }

    @Test(arguments: [
        "0001-01-01T00:00:00Z", "Mon, 01 Jan 0001 00:00:00 GMT", "1970-01-01T00:00:00Z",
        "Thu, 01 Jan 1970 00:00:00 GMT",
        "1 Jan 1970 01:00 +0100",
    ]) func whatProgramsWriteForNoDateIsRefused(text: String) {
        #expect(DateReader.any(text) == nil)
        #expect(DateReader.rfc822(text) == nil)
    }

    @Test func rfc3339TakesThoseDates() {
        #expect(DateReader.rfc3339("1970-01-01T00:00:00Z")?.timeIntervalSince1970 == 0)
        #expect(DateReader.rfc3339("0001-01-01T00:00:00Z")?.timeIntervalSince1970 == -62_135_596_800)
    }

    @Test func monthsFollowOneAnotherForFourCenturies() {
        var days = 0
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        for year in 1970..<2370 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            for month in 1...12 {
                let length = month == 2 && isLeap ? 29 : lengths[month - 1]
                #expect(DateReader.rfc3339("\(year)-\(two(month))-01")?.timeIntervalSince1970 == Double(days) * 86_400)
                days += length
                let last = DateReader.rfc3339("\(year)-\(two(month))-\(length)")
                #expect(last?.timeIntervalSince1970 == Double(days - 1) * 86_400)
            }
        }
    }
}
