/// A growing run of bytes that is written several bytes at a time.
///
/// Unlike an array it may be written beyond its count, up to the room that was reserved. Its owner frees it.
struct XMLBytes {
    private(set) var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    /// How many bytes count; what lies behind them is of no meaning.
    var count = 0

    init() {
        capacity = 1 << 12
        base = .allocate(capacity: capacity)
    }

    /// Makes room for so many bytes behind those that count; pointers taken before are void.
    @inline(__always) mutating func reserve(_ room: Int) {
        if capacity - count < room { grow(room) }
    }

    @inline(never) private mutating func grow(_ room: Int) {
        capacity = max(capacity * 2, count + room)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.update(from: base, count: count)
        base.deallocate()
        base = larger
    }

    /// Appends bytes as they are.
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        (base + count).update(from: source, count: bytes.count)
        count += bytes.count
    }

    /// A stretch of the bytes, valid until the next change.
    func stretch(_ start: Int32, _ end: Int32) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: base + Int(start), count: Int(end - start))
    }

    /// The bytes from `start` on, likewise.
    func stretch(from start: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: base + start, count: count - start)
    }

    /// Whether there is nothing but white space from `start` on.
    func isBlank(from start: Int) -> Bool {
        for index in start..<count where !base[index].isXMLSpace { return false }
        return true
    }

    /// Frees the memory.
    func deallocate() { base.deallocate() }
}
