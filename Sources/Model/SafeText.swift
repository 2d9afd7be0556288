extension Unicode.Scalar {
    /// Whether it must not reach a terminal or a line of the log as it is.
    public var isUnsafeToShow: Bool { hazard?.isUnsafeToShow == true }
}

extension String {
    /// The text as people may be shown it: on one line, with U+FFFD in place of what a terminal might obey.
    public var safeToShow: String {
        replacingUnsafe { _, text in text.append("\u{FFFD}") }
    }

    /// JSON text as people may be shown it: on one line, the same value, with escapes (RFC 8259 §7) for what a terminal
    /// might obey.
    public var safeJSON: String {
        replacingUnsafe { scalar, text in
            // In sound JSON these stand between values only.
            guard scalar.value >= 0x20 else { return text.append(" ") }
            let digits = String(scalar.value, radix: 16)
            text.append(contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).unicodeScalars)
        }
    }

    private func replacingUnsafe(_ replace: (Unicode.Scalar, inout UnicodeScalarView) -> Void) -> String {
        guard mayBeUnsafe, unicodeScalars.contains(where: \.isUnsafeToShow) else { return self }
        var text = UnicodeScalarView()
        for scalar in unicodeScalars {
            if scalar.isUnsafeToShow { replace(scalar, &text) } else { text.append(scalar) }
        }
        return String(text)
    }

    /// Whether the text has one of the bytes with which everything unsafe begins; most have none.
    private var mayBeUnsafe: Bool {
        let found = utf8.withContiguousStorageIfAvailable { bytes in
            // Without a way out of the loop the compiler takes many bytes at a time.
            var isFound = false
            for byte in bytes where byte < 0x20 || byte == 0x7F || byte == 0xC2 || byte == 0xE2 { isFound = true }
            return isFound
        }
        return found ?? true
    }
}
