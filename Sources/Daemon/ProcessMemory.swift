import CMalloc

/// How this process asks for memory.
public enum ProcessMemory {
    /// Has all threads share two arenas of malloc(3); an arena that a thread has before is counted, and stays.
    ///
    /// By default glibc makes up to eight for each core. Small things that stay are then spread over all of them, each
    /// with gaps of its own, so that memory grows with the time that the process lives. With one arena the two threads
    /// that read the halves of a large document wait for each other.
    public static func limitArenas() { _ = mallopt(M_ARENA_MAX, 2) }
}
