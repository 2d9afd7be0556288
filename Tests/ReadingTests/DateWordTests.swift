import Foundation
import Testing

@testable import Reading

@Suite struct DateWordTests {
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    @Test func monthsAreKnownByThreeLettersOrMore() {
        for (index, month) in Self.months.enumerated() {
            let expected = DateReader.rfc3339("2018-\(index + 1 < 10 ? "0" : "")\(index + 1)-17")
            for length in 3...month.count {
                #expect(DateReader.rfc822("17 \(month.prefix(length).uppercased()) 2018") == expected)
                #expect(DateReader.rfc822("\(month.prefix(length)) 17, 2018") == expected)
            }
            #expect(DateReader.rfc822("17 \(month.prefix(2)) 2018") == nil)
            #expect(DateReader.rfc822("17 \(month)x 2018") == nil)
            #expect(DateReader.rfc822("17 \(month.prefix(3))x 2018") == nil)
        }
    }

    @Test func weekdaysAreKnownByTwoLettersOrMore() {
        for day in ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] {
            for length in 2...day.count {
                #expect(DateReader.rfc822("\(day.prefix(length)), 17 Jan 2018") != nil)
            }
            #expect(DateReader.rfc822("\(day.prefix(1)), 17 Jan 2018") == nil)
            #expect(DateReader.rfc822("\(day)s, 17 Jan 2018") == nil)
        }
    }

    @Test(arguments: [
        "Wed, 17 Jan 2018 15:50:00 EST", "2014-03-21T15:21:43.5Z", "Wed Aug 27 13:08:45 +0000 2008", "", " ", "x",
        "Thu, 01 Jan 1970 00:00:00 GMT", "0001-01-01", "2018-02-31", "17 Jan 2018 15:50:00 toolong", "é",
    ])
    func datesInBytesAreTheSame(_ text: String) {
        var padded = String(repeating: " ", count: 300) + "\n" + text + "\t"
        let inBytes = padded.withUTF8 { DateReader.reading($0)?.date }
        #expect(inBytes == DateReader.any(text))
        // In a `String` white space counts towards the longest date.
        #expect(DateReader.any(padded) == nil)
    }
}
