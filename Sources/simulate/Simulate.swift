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
            that is broken ends the run with its seed, which alone repeats it: simulate --seed K. Exits with 1 then, \
            and when a kind of fault has hit in no month.
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
        if let seed {
            let summary = try simulate(seed)
            print("seed \(seed): \(summary.line)")
            print(SummaryTable.text(summary))
            return
        }
        let sum = jobs > 1 && report == nil ? try runJobs() : try runHere()
        if let report {
            try JSONEncoder().encode(sum).write(to: URL(fileURLWithPath: report))
            return
        }
        print(SummaryTable.text(sum))
        let missing = FaultKind.allCases.filter { sum.faults[$0, default: 0] == 0 }
        guard missing.isEmpty else {
            print("never hit: \(missing.map { $0.rawValue }.joined(separator: ", "))")
            throw ExitCode(1)
        }
    }

    private func runHere() throws -> SimulationSummary {
        var sum = SimulationSummary()
        for number in 0..<UInt64(seeds) {
            let seed = firstSeed + number * stride
            let summary = try simulate(seed)
            if verbose { print("seed \(seed): \(summary.line)") }
            sum.add(summary)
        }
        return sum
    }

    /// A disk is the process's own, so several simulations at a time take several processes.
    private func runJobs() throws -> SimulationSummary {
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
            try process.run()
            children.append((process, file))
        }
        var sum = SimulationSummary()
        var hasFailed = false
        for child in children {
            child.process.waitUntilExit()
            guard child.process.terminationReason == .exit, child.process.terminationStatus == 0 else {
                hasFailed = true
                continue
            }
            sum.add(try JSONDecoder().decode(SimulationSummary.self, from: Data(contentsOf: child.report)))
        }
        if hasFailed { throw ExitCode(1) }
        return sum
    }

    private func simulate(_ seed: UInt64) throws -> SimulationSummary {
        let disk = FaultyDisk(seed: seed)
        let show: ((String) -> Void)? = trace ? { print($0, terminator: "") } : nil
        do {
            return try MonthSimulation(seed: seed, days: days, disk: disk, trace: show).run()
        } catch {
            print("seed \(seed): \(error)")
            print("again: simulate --seed \(seed) --days \(days) --trace")
            throw ExitCode(1)
        }
    }
}
