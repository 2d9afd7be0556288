#if FUZZING
    import Foundation
    import FuzzTargets

    /// What libFuzzer calls; an ordinary build has `Replay` instead.
    ///
    /// The variable VISIVENTD_FUZZ_TARGET names the target. Without it the targets are listed with the patterns of their
    /// seeds below `Fixtures/`, for scripts/fuzz.sh.
    enum FuzzEntry {
        /// The target that is chosen.
        static let target: FuzzTarget = {
            let name = ProcessInfo.processInfo.environment["VISIVENTD_FUZZ_TARGET"] ?? ""
            if let target = FuzzTarget.named(name) { return target }
            for target in FuzzTarget.all { print(([target.name] + target.seeds).joined(separator: "\t")) }
            exit(name.isEmpty ? 0 : 64)
        }()
    }

    /// Chooses the target before the first input.
    @_cdecl("LLVMFuzzerInitialize")
    public func initializeFuzzing(
        _ argumentCount: UnsafeMutablePointer<CInt>?, _ arguments: UnsafeMutableRawPointer?
    ) -> CInt {
        _ = FuzzEntry.target
        return 0
    }

    /// Takes one input. That the program aborts is how libFuzzer learns of a finding.
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
