import Foundation
package import Model

/// Reads `file` URLs. The ETag is made of the file's size, inode and time of change.
package enum LocalFile {
    /// Why a poll could not read the file at a path; nil if it can be opened. It opens the file, which may block.
    ///
    /// Codes: `file_not_found`, `not_a_file` and `file_unreadable` with fault `operator`; `no_descriptors` with `ours`.
    package static func obstacle(at path: String) -> Failure? {
        do throws(Failure) {
            close(try regularFile(at: path).descriptor)
            return nil
        } catch {
            return error
        }
    }

    /// Reads the exchange's file to its end. It blocks, so it needs a thread of its own.
    static func answer(_ exchange: Exchange, within budget: BodyBudget) -> Exchange.Answer {
        guard let path = exchange.address.path else { return failure(.badURL, "the file's path holds a zero byte") }
        let opened: (descriptor: Int32, status: stat)
        do throws(Failure) {
            opened = try regularFile(at: path)
        } catch {
            return .failure(error)
        }
        let (file, before) = opened
        defer { close(file) }

        let limit = min(exchange.limits.maximumTransferBytes, exchange.limits.maximumBodyBytes)
        guard before.st_size <= limit else {
            return failure(.tooLarge, "\(path) has \(before.st_size) bytes, of at most \(limit)")
        }
        let validators = Validators(etag: etag(before))
        if exchange.request.validators.etag == validators.etag {
            return .success(.notModified(FetchFacts(validators: validators)))
        }

        let share = budget.begin()
        let room = DispatchSemaphore(value: 0)
        while !share.take(Int(before.st_size), whenRoom: { room.signal() }) { room.wait() }
        let body = BodyBuffer()
        while body.count <= Int(before.st_size) {
            // One byte more than expected shows that the file has grown.
            guard body.reserve(Int(before.st_size) - body.count + 1) else { return .failure(.outOfMemory) }
            let length = read(file, body.room.baseAddress, Int(before.st_size) - body.count + 1)
            if length < 0 {
                if errno == EINTR { continue }
                return .failure(opening(path, errno))
            }
            if length == 0 { break }
            body.grow(by: length)
        }
        var after = stat()
        guard body.count == Int(before.st_size), fstat(file, &after) == 0, etag(after) == validators.etag else {
            return .failure(Failure(.network, .cutShort, "\(path) was being written while it was read"))
        }
        let facts = FetchFacts(validators: validators, bytes: body.count)
        share.finish()
        let data = body.take { share.release() }
        return .success(.body(FetchedBody(data: data, url: exchange.request.url, facts: facts)))
    }

    /// Opens a regular file.
    private static func regularFile(at path: String) throws(Failure) -> (descriptor: Int32, status: stat) {
        // Non-blocking, because opening a FIFO would wait for its writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard let file = DescriptorReserve.keep(descriptor, for: .request) else { throw opening(path, errno) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            let kind = status.st_mode & S_IFMT == S_IFDIR ? "a folder, not a file" : "no regular file"
            throw Failure(.operator, .notAFile, "\(path) is \(kind)")
        }
        return (file, status)
    }

    private static func etag(_ info: stat) -> String {
        "\"\(info.st_size)-\(info.st_ino)-\(info.st_ctim.tv_sec).\(info.st_ctim.tv_nsec)\""
    }

    private static func opening(_ path: String, _ error: Int32) -> Failure {
        switch error {
        case ENOENT, ENOTDIR, ENAMETOOLONG: Failure(.operator, .fileNotFound, "there is no file \(path)")
        case EMFILE, ENFILE: Failure(.ours, .noDescriptors, "no descriptor is left to read \(path)")
        default: Failure(.operator, .fileUnreadable, "\(path) cannot be read: \(String(cString: strerror(error)))")
        }
    }

    private static func failure(_ code: Failure.Code, _ message: String) -> Exchange.Answer {
        .failure(Failure(.operator, code, message))
    }
}
