/// Metrics in Prometheus' text exposition format 0.0.4
/// (<https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format>).
///
/// Samples carry no time: the node exporter refuses files in which one does.
struct PrometheusText {
    /// One value of a metric.
    struct Sample {
        /// Label and value.
        var labels: [(name: String, value: String)]
        var value: Double

        init(_ value: Double, labels: [(name: String, value: String)] = []) {
            self.value = value
            self.labels = labels
        }
    }

    /// The lines so far, each with its line feed.
    private(set) var text = ""

    /// Writes a gauge: its help, its type, its samples; nothing when there are none.
    mutating func gauge(_ name: String, _ help: String, _ samples: [Sample]) { add("gauge", name, help, samples) }

    /// Writes a counter, whose name ends in `_total`.
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

    /// Writes a gauge with one sample and no labels; nothing without a value.
    mutating func gauge(_ name: String, _ help: String, value: Double?) {
        gauge(name, help, value.map { [Sample($0)] } ?? [])
    }

    /// Backslash and line feed are written `\\` and `\n`; in the values of labels, a double quote `\"`, too.
    static func escaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func number(_ value: Double) -> String { Int64(exactly: value).map { "\($0)" } ?? "\(value)" }
}
