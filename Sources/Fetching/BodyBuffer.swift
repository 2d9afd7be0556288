import Foundation

/// Collects a body in memory that grows by doubling, and hands it over without a copy.
final class BodyBuffer {
    /// Number of bytes collected.
    private(set) var count = 0

    private var base: UnsafeMutableRawPointer?
    private var capacity = 0

    deinit { free(base) }

    /// Makes room for `extra` more bytes; returns false if memory is short.
    func reserve(_ extra: Int) -> Bool {
        let needed = count + extra
        guard needed > capacity else { return true }
        let wanted = max(needed, capacity * 2, 16 << 10)
        guard let moved = realloc(base, wanted) else { return false }
        base = moved
        capacity = wanted
        return true
    }

    /// Appends bytes; returns false if memory is short.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard reserve(bytes.count) else { return false }
        guard let base, let source = bytes.baseAddress else { return true }
        (base + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
        return true
    }

    /// The memory after the collected bytes. Call `reserve` before writing to it and `grow(by:)` after.
    var room: UnsafeMutableRawBufferPointer {
        guard let base else { return UnsafeMutableRawBufferPointer(start: nil, count: 0) }
        return UnsafeMutableRawBufferPointer(start: base + count, count: capacity - count)
    }

    /// Claims bytes that were written to `room`.
    func grow(by written: Int) {
        precondition(written >= 0 && written <= capacity - count)
        count += written
    }

    /// A copy of the first bytes, at most `length`.
    func prefix(_ length: Int) -> Data {
        guard let base, count > 0 else { return Data() }
        return Data(bytes: base, count: min(length, count))
    }

    /// All bytes; the buffer is empty afterwards.
    /// - Parameter release: Called when the last copy of the data is gone.
    func take(release: @escaping @Sendable () -> Void) -> Data {
        guard let base, count > 0 else {
            release()
            return Data()
        }
        // Frees the memory that was reserved in excess.
        let kept = realloc(base, count) ?? base
        let data = Data(
            bytesNoCopy: kept, count: count,
            deallocator: .custom { bytes, _ in
                free(bytes)
                release()
            })
        self.base = nil
        count = 0
        capacity = 0
        return data
    }
}
