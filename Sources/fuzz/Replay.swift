#if !FUZZING
    import Foundation
    import FuzzTargets

    /// The program `fuzz` of an ordinary build: runs files through a target and prints broken invariants.
    ///
    /// `fuzz TARGET FILE…`; without arguments it lists the targets. With `--sanitize fuzzer`, libFuzzer provides
    /// `main`.
    @main
    struct Replay {
        static func main() {
            let arguments = CommandLine.arguments.dropFirst()
            guard let name = arguments.first else {
                for target in FuzzTarget.all { print(target.name) }
                return
            }
            guard let target = FuzzTarget.named(name) else {
                FileHandle.standardError.write(Data("fuzz: there is no target \(name)\n".utf8))
                exit(64)
            }
            var isSound = true
            for file in arguments.dropFirst() {
                do {
                    try target.check(try Data(contentsOf: URL(fileURLWithPath: file)))
                    print("\(file): sound")
                } catch {
                    isSound = false
                    print("\(file): \(error)")
                }
            }
            exit(isSound ? 0 : 1)
        }
    }
#endif
