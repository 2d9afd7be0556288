import Foundation
import Model
import Testing

@Suite struct ClampedNumbersTests {
    @Test(
        arguments: [
            (Double.nan, 0), (.infinity, .max), (-.infinity, .min), (9.3e18, .max), (-9.3e18, .min),
            (9_223_372_036_854_775_808, .max), (-9_223_372_036_854_775_808, .min), (1.9, 1), (-1.9, -1), (-0.0, 0),
            (.greatestFiniteMagnitude, .max), (.leastNonzeroMagnitude, 0), (4_611_686_018_427_387_904, 1 << 62),
        ] as [(Double, Int64)])
    func aNumberOfAnySizeBecomesAnInteger(number: Double, expected: Int64) {
        #expect(Int64(clamping: number) == expected)
        #expect(UInt8(clamping: number) == UInt8(clamping: expected))
    }

    @Test func secondsOfAnySizeBecomeADuration() {
        #expect(Duration(clampingSeconds: 1.5) == .milliseconds(1500))
        #expect(Duration(clampingSeconds: .nan) == .zero)
        for seconds in [Double.infinity, 1e300, -.infinity] {
            let duration = Duration(clampingSeconds: seconds)
            #expect((duration > .zero) == (seconds > 0))
            #expect(abs(duration.milliseconds) == 1_000_000_000_000_000)
            #expect(abs((duration + duration * 1000).milliseconds) > 0, "sums and products do not trap")
        }
    }

    @Test func dateOfAnySizeBecomesMilliseconds() {
        for seconds in [Double.nan, .infinity, -.infinity, 1e300] {
            #expect(abs(Date(timeIntervalSince1970: seconds).milliseconds) <= 253_402_300_799_999)
        }
    }
}
