import Foundation
import Gazetteer
import Model

/// The printed result of a seeding.
enum SeedSummary {
    /// Prints the summary on standard output.
    static func print(_ report: SeedReport, path: String) {
        var output = Output()
        for line in lines(report, path: path) { output.line(line) }
        output.flush()
    }

    static func lines(_ report: SeedReport, path: String) -> [String] {
        var lines: [String] = []
        for input in report.inputs {
            // A rate over less than 0.1 s would mean little.
            let hasRate = input.duration.seconds >= 0.1
            let rate = hasRate ? " (\(Int(clamping: Double(input.rows) / input.duration.seconds))/s)" : ""
            lines.append("\(input.name): \(input.format.rawValue)")
            lines.append(
                "  \(input.rows) \(input.rows == 1 ? "row" : "rows") read in \(seconds(input.duration)) s\(rate), "
                    + "\(input.kept) kept")
            for (reason, count) in input.skipped.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                lines.append("  \(count) skipped: \(reason.rawValue)")
            }
            for refusal in input.refused.sorted(by: { $0.count > $1.count }) {
                lines.append("  \(refusal.count) refused: \(refusal.fault.rawValue)")
                for example in refusal.examples {
                    let text = example.text.replacingOccurrences(of: "\t", with: "\\t")
                    lines.append("    line \(example.line): \(text)")
                }
            }
        }
        if let lost = report.lostTable { lines.append("regions and countries could not be kept: \(lost)") }
        var cities = "\(report.cities) \(report.cities == 1 ? "city" : "cities")"
        if report.carriedCities > 0 { cities += " (\(report.carriedCities) of them from before)" }
        lines.append(
            "\(path): \(cities), \(report.alternates) other names, \(report.areas) regions and countries; "
                + "\(report.bytes.asSize()) in \(seconds(report.duration)) s, generation \(report.generation)")
        return lines
    }

    private static func seconds(_ duration: Duration) -> String { String(format: "%.1f", duration.seconds) }
}
