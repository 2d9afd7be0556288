import CWorkCount

/// The work of a call on an input and on one of twice the size, in bytes that it allocates and in places of the
/// program's code that it passes. Neither depends on the machine's speed.
///
/// Visits are counted only in a build with coverage counters (`make doubling`), where nothing else may run meanwhile.
public struct Doubling: Sendable, CustomStringConvertible {
    /// The work of one call.
    public struct Work: Sendable {
        /// Bytes asked of the allocator by the calling thread; of a block that grows all of it.
        public var bytes: UInt64
        /// Passed places of the program's own code; 0 where they are not counted.
        public var visits: UInt64
    }

    /// The work on the input.
    public let once: Work
    /// The work on an input of twice the size.
    public let twice: Work

    /// Measures `work` on inputs made for `size` and for twice that. It first runs once, so that tables are built.
    public init<Input>(of size: Int, _ input: (_ size: Int) throws -> Input, _ work: (Input) throws -> Void) rethrows {
        let (small, large) = (try input(size), try input(2 * size))
        try work(small)
        once = try Self.count { try work(small) }
        twice = try Self.count { try work(large) }
    }

    private static func count(_ work: () throws -> Void) rethrows -> Work {
        let (bytes, visits) = (cwork_bytes(), cwork_visits())
        try work()
        return Work(bytes: cwork_bytes() - bytes, visits: cwork_visits() - visits)
    }

    /// Whether twice the size takes at most 2.5 times the work. Below 16 KiB the size hardly matters.
    public var isLinear: Bool {
        twice.bytes <= max(16 << 10, once.bytes * 5 / 2) && twice.visits <= max(1 << 10, once.visits * 5 / 2)
    }

    /// Both measurements.
    public var description: String {
        "\(once.bytes) then \(twice.bytes) bytes, \(once.visits) then \(twice.visits) visits"
    }
}
