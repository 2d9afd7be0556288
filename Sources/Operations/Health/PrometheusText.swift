import Model

/// Metrics in Prometheus' text exposition format 0.0.4
/// (<https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format>).
///
/// Samples carry no time, because the node exporter refuses files that contain one.
struct PrometheusText {
    /// One value of a metric.
    struct Sample {
        /// The labels by name.
        var labels: [(name: String, value: String)]
        var value: Double

        init(_ value: Double, _ labels: (name: String, value: String)...) {
            self.value = value
            self.labels = labels
        }
    }

    /// The lines so far, each with its line feed.
    private(set) var text = ""

    /// Writes a gauge with its help, its type and its samples; nothing without samples.
    mutating func gauge(_ name: String, _ help: String, _ samples: [Sample]) { add("gauge", name, help, samples) }

    /// Writes a counter, whose name must end in `_total`; nothing without samples.
    mutating func counter(_ name: String, _ help: String, _ samples: [Sample]) { add("counter", name, help, samples) }

    private mutating func add(_ type: String, _ name: String, _ help: String, _ samples: [Sample]) {
        guard !samples.isEmpty else { return }
        text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(type)\n"
        for sample in samples {
            let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value, quotes: true))\"" }
            let list = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
            text += "\(name)\(list) \(Self.number(sample.value))\n"
        }
    }

    /// Writes a gauge with one sample and no labels; nothing for nil.
    mutating func gauge(_ name: String, _ help: String, value: Double?) {
        gauge(name, help, value.map { [Sample($0)] } ?? [])
    }

    /// The text with backslash and line feed as `\\` and `\n`; with `quotes`, for values of labels, also with `\"`.
    static func escaped(_ text: String, quotes: Bool) -> String {
        text.replacing { scalar, result in
            switch scalar {
            case "\\": result += "\\\\".utf8
            case "\n": result += "\\n".utf8
            case "\"" where quotes: result += "\\\"".utf8
            default: return false
            }
            return true
        }
    }

    private static func number(_ value: Double) -> String { Int64(exactly: value).map { "\($0)" } ?? "\(value)" }
}
