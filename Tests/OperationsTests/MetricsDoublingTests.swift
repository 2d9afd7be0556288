import Testing
import WorkCount

@testable import Operations

@Suite struct MetricsDoublingTests {
    @Test(arguments: ["\\", "\"", "\n", "é", "a"]) func aLabelIsEscapedInLinearWork(_ piece: String) {
        func escaped(_ text: String) { _ = PrometheusText.escaped(text, quotes: true) }
        let work = Doubling(of: 4000, { String(repeating: piece, count: $0) }, escaped)
        #expect(work.isLinear, "\(work)")
    }
}
