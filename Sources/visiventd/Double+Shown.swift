import Foundation

extension Double {
    /// The number rounded to the upper bound of `digits` behind the point, without trailing zeros beyond the lower
    /// bound. Feeds that calculate with 32-bit floats send 1.92999995.
    func shown(digits: ClosedRange<Int>) -> String {
        guard abs(self) < 1e15 else { return description }
        var text = String(format: "%.\(digits.upperBound)f", self)
        var surplus = digits.upperBound - digits.lowerBound
        while surplus > 0, text.last == "0" {
            text.removeLast()
            surplus -= 1
        }
        if text.last == "." { text.removeLast() }
        return text == "-0" ? "0" : text
    }
}
