extension String {
    /// The beginning of at most so many bytes (3 or more), in whole Unicode scalars; `…` is behind what was cut.
    package func cut(toBytes most: Int) -> String {
        guard utf8.count > most else { return self }
        var bytes = Array(utf8.prefix(most - 3))
        while let last = bytes.last, last & 0xC0 == 0x80 { bytes.removeLast() }
        // The first byte of what may have lost its others.
        if let last = bytes.last, last >= 0xC0 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self) + "…"
    }
}
