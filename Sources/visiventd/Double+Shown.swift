import Foundation

extension Double {
    /// The number as people read it: rounded to so many digits behind the point as `digits` has at the most, less zeros
    /// at the end down to its least. Feeds that calculate with 32-bit floats send 1.92999995.
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
