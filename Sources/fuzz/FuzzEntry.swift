#if FUZZING
    import Foundation
    import FuzzTargets

    /// Entry point of libFuzzer; an ordinary build has `Replay` instead.
    ///
    /// VISIVENTD_FUZZ_TARGET names the target. Without it, the targets are listed with their seed patterns below
    /// `Fixtures/`, for scripts/fuzz.sh.
    enum FuzzEntry {
        /// The selected target; exits if the name is empty or unknown.
        static let target: FuzzTarget = {
            let name = ProcessInfo.processInfo.environment["VISIVENTD_FUZZ_TARGET"] ?? ""
            if let target = FuzzTarget.named(name) { return target }
            for target in FuzzTarget.all { print(([target.name] + target.seeds).joined(separator: "\t")) }
            exit(name.isEmpty ? 0 : 64)
        }()
    }

    /// Selects the target before the first input. Called by libFuzzer.
    @_cdecl("LLVMFuzzerInitialize")
    public func initializeFuzzing(
        _ argumentCount: UnsafeMutablePointer<CInt>?, _ arguments: UnsafeMutableRawPointer?
    ) -> CInt {
        _ = FuzzEntry.target
        return 0
    }

    /// Checks one input; aborts on a finding, which libFuzzer then records.
    @_cdecl("LLVMFuzzerTestOneInput")
    public func fuzzOne(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        let data = Data(UnsafeBufferPointer(start: bytes, count: count))
        do {
            try FuzzEntry.target.check(data)
        } catch {
            FileHandle.standardError.write(Data("finding: \(FuzzEntry.target.name): \(error)\n".utf8))
            abort()
        }
        return 0
    }
#endif
