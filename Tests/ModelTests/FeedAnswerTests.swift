import Model
import Testing

@Suite struct FeedAnswerTests {
    @Test(
        arguments: [
            ([], 0, nil), ([], 3, nil), ([2_000_000, 3_000_000], 1, nil), ([2_000_000, 3_000_000], 0, 2_000_000),
        ] as [([Int], Int, Int?)])
    func aBatchOfNothingButLinesThatAreTooLongIsUnrecognized(lengths: [Int], lines: Int, named: Int?) {
        var answer = FeedAnswer()
        answer.report(tooLong: lengths, besides: lines)
        #expect(answer.issues.map(\.reason) == lengths.map { _ in "line_too_long" })
        #expect(answer.issues.map(\.found) == lengths.map { "\($0) bytes" })
        #expect(answer.issues.allSatisfy { $0.costsItem })
        let failure = named.map { Failure(.feed, .lineTooLong, "the stream sends a line of \($0) bytes") }
        #expect(answer.unrecognized == failure)
    }
}
