import Foundation
import Synchronization

/// The kernel's watches (inotify(7)) on the way to a file.
///
/// While the way leads to the file, its folder is watched for its name, and each link and folder before it for being
/// replaced, moved, removed or closed to us. Other files in those folders wake nobody then, be it in `/tmp`, but for a
/// change of their rights or times. While the way leads nowhere, each folder of it is watched for the name that is
/// looked up in it: one that has been removed but is still some process's working directory is no longer told of. Then
/// whatever comes and goes in one of them wakes us, be it in `/tmp`: that is what `rest` is for.
final class TrailWatches: Sendable {
    private struct State: Sendable, Equatable {
        /// Watches by what they are on.
        var numbers: [String: Int32] = [:]
        /// The names to look for, by the watch on their folder.
        var steps: [Int32: [FileTrail.Step]] = [:]
        /// The way that is watched.
        var trail: FileTrail?
        /// Whether only others' files were told of while it leads nowhere.
        var wasDisturbed = false

        /// The name that an event is about, if it is looked up.
        func step(of event: Event) -> FileTrail.Step? { steps[event.watch]?.first { $0.name == event.name } }
    }

    /// What happens to a folder or link itself.
    private static let ownEvents = UInt32(IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)
    /// And what happens to a file in a folder.
    private static let allEvents =
        ownEvents | UInt32(IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)
    /// What can be told while nothing is to be.
    private static let restEvents = UInt32(IN_DELETE_SELF)
    /// How often the way is walked when it goes on changing meanwhile; the next event leads to another time.
    private static let mostWalks = 10

    /// Where the kernel tells of events; it does not block.
    let descriptor: Int32
    private let path: String
    private let state = Mutex(State())

    /// Begins to watch.
    /// - Throws: `DaemonError.cannotWatch`.
    init(path: String) throws(DaemonError) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { throw .cannotWatch(path, String(cString: strerror(errno))) }
        self.descriptor = descriptor
        self.path = path
        if let error = renew() { throw .cannotWatch(path, String(cString: strerror(error))) }
    }

    deinit { close(descriptor) }

    /// Follows the way again, which may be another now.
    /// - Returns: A number of errno(3) when the folder of the file, or of the first missing name, is not watched.
    @discardableResult func renew() -> Int32? {
        state.withLock { state in
            var error: Int32?
            // A watch tells of what comes after it, so the way is walked until it is as it was before the watches.
            for _ in 0..<Self.mostWalks {
                let before = state
                (state, error) = watch(FileTrail(to: path), after: before)
                if state == before { break }
            }
            return error
        }
    }

    /// Takes what the kernel has told since the last time, and follows the way again where that concerns the file.
    /// - Returns: Whether it does: the file may have been edited, replaced, removed, or be reached by another way.
    func tellEdit() -> Bool {
        let isEdit = state.withLock { state in
            let told = events()
            let concern = told.filter { $0.name.isEmpty || state.step(of: $0) != nil }
            state.wasDisturbed = state.trail?.isWhole == false && !told.isEmpty && concern.isEmpty
            return concern.contains { Self.isEdit($0, state) }
        }
        if isEdit { renew() }
        return isEdit
    }

    /// Whether the last look was for nothing and the next may be soon, since the way leads nowhere and a folder of it is
    /// busy.
    var wasDisturbed: Bool { state.withLock { $0.wasDisturbed } }

    /// Lets nothing of a way that leads nowhere wake us until `pause` returns, and then follows it again.
    ///
    /// The watches stay, with another mask: not to read what they tell would not do, since the kernel wakes who waits for
    /// the descriptor (epoll(7)) whatever he waits for.
    /// - Returns: Whether the way is another by then: the file is there, or a folder has come or gone.
    func rest(_ pause: () -> Void) -> Bool {
        let before = state.withLock { state in
            for place in state.numbers.keys {
                _ = inotify_add_watch(descriptor, place, Self.restEvents | UInt32(IN_DONT_FOLLOW))
            }
            return state.trail
        }
        pause()
        renew()
        return state.withLock { $0.trail } != before
    }

    private func watch(_ trail: FileTrail, after old: State) -> (State, Int32?) {
        var new = State(trail: trail)
        var error: Int32?
        func add(_ place: String, _ events: UInt32) -> Int32? {
            let number = inotify_add_watch(descriptor, place, events | UInt32(IN_DONT_FOLLOW))
            error = number < 0 ? errno : nil
            // A folder that is closed to us can still tell when it is opened.
            let kept = number < 0 ? old.numbers[place] : number
            new.numbers[place] = kept
            return kept
        }
        for step in trail.steps.dropLast() { _ = add(step.place, Self.ownEvents) }
        // Behind them: the last call for a folder says what it is watched for.
        for step in trail.isWhole ? trail.steps.suffix(1) : trail.steps[...] {
            if let number = add(step.folder, Self.allEvents) { new.steps[number, default: []].append(step) }
        }
        for number in Set(old.numbers.values).subtracting(new.numbers.values) {
            inotify_rm_watch(descriptor, number)
        }
        return (new, error)
    }

    private struct Event {
        var watch: Int32
        var mask: UInt32
        /// In the folder that is watched; empty: that itself.
        var name: String
    }

    private static func isEdit(_ event: Event, _ state: State) -> Bool {
        // The end of a watch.
        if event.mask & UInt32(IN_IGNORED) != 0 { return false }
        // Something on the way itself; or events were lost (IN_Q_OVERFLOW).
        if event.name.isEmpty { return true }
        guard let step = state.step(of: event) else { return false }
        // A file that has just been created still has to be written; a link, a hard one too, has all that it will have.
        var status = stat()
        guard event.mask & UInt32(IN_CREATE) != 0, lstat(step.place, &status) == 0 else { return true }
        return status.st_mode & S_IFMT != S_IFREG || status.st_nlink > 1
    }

    private func events() -> [Event] {
        var events: [Event] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return events }
            var start = 0
            // Each is a header, whose last field is the length of the name that follows, padded with zeros.
            while start + MemoryLayout<inotify_event>.size <= count {
                let header = buffer.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start, as: inotify_event.self) }
                start += MemoryLayout<inotify_event>.size
                let end = min(start + Int(header.len), count)
                let name = String(decoding: buffer[start..<end].prefix { $0 != 0 }, as: UTF8.self)
                events.append(Event(watch: header.wd, mask: header.mask, name: name))
                start = end
            }
        }
    }
}
