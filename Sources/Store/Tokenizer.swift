import GRDB
import GRDBSQLite
import Synchronization

/// SQLite's own tokenizer with the settings of the full-text index `event_text`.
///
/// `@unchecked` because the lock admits one caller at a time.
final class Tokenizer: @unchecked Sendable {
    static let shared = Tokenizer()

    private let lock = Mutex<Void>(())
    /// Nil only if SQLite lacks FTS5, without which no store can be opened.
    private let tokenizer: (any FTS5Tokenizer)?

    private init() {
        let settings = FTS5TokenizerDescriptor(components: ["unicode61", "remove_diacritics", "2"])
        // A built-in tokenizer needs its connection only to be found.
        tokenizer = try? DatabaseQueue().read { try $0.makeTokenizer(settings) }
    }

    /// The tokens of a text in order, as UTF-8: folded words, as the index has them.
    func tokens(of text: String) -> [[UInt8]] {
        let append: FTS5TokenCallback = { context, _, token, count, _, _ in
            guard let context, let token else { return SQLITE_ERROR }
            let bytes = UnsafeRawBufferPointer(start: token, count: Int(min(count, longestToken)))
            context.assumingMemoryBound(to: [[UInt8]].self).pointee.append([UInt8](bytes))
            return SQLITE_OK
        }
        var text = text
        var tokens: [[UInt8]] = []
        lock.withLock { _ in
            text.withUTF8 { bytes in
                guard let tokenizer, let start = bytes.baseAddress, !bytes.isEmpty else { return }
                withUnsafeMutablePointer(to: &tokens) { tokens in
                    _ = tokenizer.tokenize(
                        context: UnsafeMutableRawPointer(tokens), tokenization: .document,
                        pText: UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self),
                        nText: CInt(clamping: bytes.count), tokenCallback: append)
                }
            }
        }
        return tokens
    }
}

/// FTS5_MAX_TOKEN_SIZE: FTS5 cuts longer tokens.
private let longestToken: CInt = 32_768
