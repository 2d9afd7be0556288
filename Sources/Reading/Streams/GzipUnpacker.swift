/// Unpacks gzip from a wire.
final class GzipUnpacker: Unpacker {
    private let wire: WireReader
    private let inflater: GzipInflater

    init(_ wire: WireReader) throws(ReadingError) {
        guard let inflater = GzipInflater() else {
            throw ReadingError(code: "out_of_memory", message: "no memory to unpack \(wire.name)")
        }
        self.wire = wire
        self.inflater = inflater
    }

    func read(into room: UnsafeMutableRawBufferPointer) throws(ReadingError) -> Int {
        var count = 0
        while count < room.count {
            let packed = try wire.unread()
            guard !packed.isEmpty || inflater.isAtEnd else {
                throw ReadingError(
                    code: "bad_archive", message: "\(wire.name) is truncated: its gzip data does not end")
            }
            let rest = UnsafeMutableRawBufferPointer(rebasing: room[count...])
            guard let step = inflater.step(UnsafeRawBufferPointer(packed), into: rest) else {
                throw ReadingError(
                    code: "bad_archive", message: "\(wire.name) is damaged gzip data: \(inflater.reason)")
            }
            wire.consume(step.read)
            count += step.written
            if packed.isEmpty { break }
        }
        return count
    }
}
