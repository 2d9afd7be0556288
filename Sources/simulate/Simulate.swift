import ArgumentParser
import Foundation
import Simulation

/// The program `simulate`.
@main
struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run the whole daemon through simulated months with faults of all kinds.",
        discussion: """
            Each seed is a month of its own and always the same one. Promises are checked after every step; the first \
            that is broken ends that month, whose seed alone repeats it: simulate --seed K. The other months go on. \
            Exits with 1 when any has ended so, and when a kind of fault has hit in none of twenty months or more.
            """)

    @Option(help: "How many seeds.")
    var seeds = 20

    @Option(help: "The first seed.")
    var firstSeed: UInt64 = 1

    @Option(help: "Only this seed.")
    var seed: UInt64?

    @Option(help: "Days with faults; two quiet days follow.")
    var days = 30.0

    @Option(help: "How many processes.")
    var jobs = 2

    @Flag(help: "Print everything that happens; with --seed.")
    var trace = false

    @Flag(help: "Leave out the clients of the API, who read along in every fourth seed and take most of its time.")
    var withoutClients = false

    @Option(help: "Write a line for each seed: the seed and hashes of its events, their history and the changes.")
    var hashes: String?

    @Flag(help: "Print a line for each seed.")
    var verbose = false

    @Option(help: .hidden)
    var stride: UInt64 = 1

    @Option(help: .hidden)
    var report: String?

    func validate() throws {
        guard seeds > 0, jobs > 0, stride > 0, days >= 1 else {
            throw ValidationError("--seeds, --jobs and --days are 1 or more")
        }
    }

    func run() throws {
        let numbers = seed.map { [$0] } ?? (0..<UInt64(seeds)).map { firstSeed + $0 * stride }
        let outcome = jobs > 1 && numbers.count > 1 && report == nil ? try runJobs() : runHere(numbers)
        if let report {
            try JSONEncoder().encode(outcome).write(to: URL(fileURLWithPath: report))
            return
        }
        if let hashes {
            let lines = outcome.hashes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }
            try lines.joined().write(toFile: hashes, atomically: true, encoding: .utf8)
        }
        guard outcome.failed.isEmpty else {
            let list = outcome.failed.sorted().map { "\($0)" }.joined(separator: ", ")
            print("\(outcome.failed.count) of \(numbers.count) seeds have failed: \(list)")
            throw ExitCode(1)
        }
        print(SummaryTable.text(outcome.sum))
        let missing = FaultKind.allCases.filter { outcome.sum.faults[$0, default: 0] == 0 }
        guard missing.isEmpty || numbers.count < Self.enough else {
            print("never hit: \(missing.map { $0.rawValue }.joined(separator: ", "))")
            throw ExitCode(1)
        }
    }

    /// The number of months that meet every kind of fault.
    private static let enough = 20

    /// The result of several seeds.
    private struct Outcome: Codable {
        /// The sum over the seeds that kept all promises.
        var sum = SimulationSummary()
        var failed: [UInt64] = []
        /// By seed, with `--hashes`.
        var hashes: [UInt64: String] = [:]
    }

    private func runHere(_ numbers: [UInt64]) -> Outcome {
        var outcome = Outcome()
        for seed in numbers { simulate(seed, &outcome) }
        return outcome
    }

    /// The simulated disk is global to a process, so concurrent simulations need several processes.
    private func runJobs() throws -> Outcome {
        let jobs = min(jobs, seeds)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("simulate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var children: [(process: Process, report: URL)] = []
        for job in 0..<jobs {
            let file = folder.appendingPathComponent("\(job).json")
            let process = Process()
            process.executableURL = Bundle.main.executableURL
            process.arguments = [
                "--seeds", "\((seeds - job + jobs - 1) / jobs)", "--first-seed", "\(firstSeed + UInt64(job))",
                "--stride", "\(jobs)", "--days", "\(days)", "--report", file.path,
            ]
            if verbose { process.arguments?.append("--verbose") }
            if withoutClients { process.arguments?.append("--without-clients") }
            if let hashes { process.arguments? += ["--hashes", hashes] }
            try process.run()
            children.append((process, file))
        }
        var outcome = Outcome()
        var hasFailed = false
        for child in children {
            child.process.waitUntilExit()
            guard child.process.terminationReason == .exit, child.process.terminationStatus == 0 else {
                hasFailed = true
                continue
            }
            let part = try JSONDecoder().decode(Outcome.self, from: Data(contentsOf: child.report))
            outcome.sum.add(part.sum)
            outcome.failed += part.failed
            outcome.hashes.merge(part.hashes) { $1 }
        }
        if hasFailed { throw ExitCode(1) }
        return outcome
    }

    /// Simulates a month. A broken promise is printed.
    private func simulate(_ seed: UInt64, _ outcome: inout Outcome) {
        let disk = FaultyDisk(seed: seed)
        let show: ((String) -> Void)? = trace ? { print($0, terminator: "") } : nil
        do {
            let month = try MonthSimulation(
                seed: seed, days: days, disk: disk, hasClients: !withoutClients, trace: show)
            let summary = try month.run()
            if hashes != nil { outcome.hashes[seed] = try month.daemon.visibleHashes() }
            outcome.sum.add(summary)
            if verbose || seed == self.seed { print("seed \(seed): \(summary.line)") }
        } catch {
            print("seed \(seed): \(error)")
            print("again: simulate --seed \(seed) --days \(days) --trace")
            fflush(nil)
            outcome.failed.append(seed)
        }
    }
}
