import Foundation

/// The columns of one line, split in place; reused for each line.
///
/// The columns point into the line or, if quoted, into a buffer of this object. They are valid until the next line.
final class RowFields {
    /// Number of columns in the line.
    private(set) var count = 0

    private let capacity: Int
    private let fields: UnsafeMutablePointer<UnsafeBufferPointer<UInt8>>
    private var unquoted = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 4096)

    /// - Parameter capacity: The most columns that are stored; further ones are only counted.
    init(capacity: Int) {
        self.capacity = capacity
        fields = .allocate(capacity: capacity)
        fields.initialize(repeating: UnsafeBufferPointer(start: nil, count: 0), count: capacity)
    }

    deinit {
        fields.deallocate()
        unquoted.deallocate()
    }

    /// A column of the line; `index` is below `count` and the capacity.
    subscript(_ index: Int) -> UnsafeBufferPointer<UInt8> { fields[index] }

    /// Splits a line at its tabs.
    func splitTabs(_ line: UnsafeBufferPointer<UInt8>) {
        count = 0
        split(line, at: 0x09)
    }

    /// Splits a line at its commas. A column that begins with a quote ends with one, and `""` inside is a quote (RFC
    /// 4180 §2); quotes in other columns are ordinary characters. Returns false if a quoted column has no proper end.
    func splitCommas(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        count = 0
        guard let base = line.baseAddress, memchr(base, 0x22, line.count) != nil else {
            split(line, at: 0x2C)
            return true
        }
        if unquoted.count < line.count {
            unquoted.deallocate()
            unquoted = .allocate(capacity: line.count)
        }
        var used = 0
        var index = 0
        while true {
            if index < line.count, line[index] == 0x22 {
                let first = used
                index += 1
                while true {
                    guard index < line.count else { return false }
                    if line[index] == 0x22 {
                        index += 1
                        guard index < line.count, line[index] == 0x22 else { break }
                    }
                    unquoted[used] = line[index]
                    used += 1
                    index += 1
                }
                guard index == line.count || line[index] == 0x2C else { return false }
                append(UnsafeBufferPointer(rebasing: unquoted[first..<used]))
            } else {
                let first = index
                while index < line.count, line[index] != 0x2C { index += 1 }
                append(UnsafeBufferPointer(rebasing: line[first..<index]))
            }
            guard index < line.count else { return true }
            index += 1
        }
    }

    private func split(_ line: UnsafeBufferPointer<UInt8>, at separator: Int32) {
        guard var start = line.baseAddress else { return }
        let end = start + line.count
        while let found = memchr(start, separator, end - start) {
            let stop = UnsafePointer(found.assumingMemoryBound(to: UInt8.self))
            append(UnsafeBufferPointer(start: start, count: stop - start))
            start = stop + 1
        }
        append(UnsafeBufferPointer(start: start, count: end - start))
    }

    @inline(__always) private func append(_ field: UnsafeBufferPointer<UInt8>) {
        if count < capacity { fields[count] = field }
        count += 1
    }
}
