import Foundation
import ProcessSupport
import Testing

/// The real program on full and read-only disks.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not there"),
    .enabled(if: Enclave.isPermitted, "mounting is permitted neither to this user nor in a user namespace"),
    .timeLimit(.minutes(60)))
struct DiskTests {
    /// The result of a query by sqlite3 within the enclave's mounts.
    private func read(_ feeds: SmallFeeds, in enclave: Enclave, _ sql: String) async throws -> String {
        let run = try await enclave.run("sqlite3 -readonly '\(feeds.database.path)' \"\(sql)\"")
        return run.output + run.errors
    }

    @Test("a full disk pauses polls, blames no source, and is left behind when space is freed")
    func fullDisk() async throws {
        let feeds = try await SmallFeeds()
        defer { feeds.end() }
        let file = try feeds.configuration([feeds.source("quakes")])
        let enclave = try await Enclave("mount -t tmpfs -o size=16m none '\(feeds.disk)'")
        let process = try DaemonProcess(configuration: file, within: enclave.prefix)
        defer { process.signal(SIGKILL) }
        #expect(await process.says("poll ended", "source=quakes", "next_reason=interval"))
        _ = try await enclave.run("dd if=/dev/zero of='\(feeds.disk)/zeros' bs=4k 2>&1 || true")
        #expect(await process.says("store cannot be written, polls pause"))
        feeds.stopGrowing()
        let program = try #require(DaemonProcess.executable).path
        let health = try await MeasuredRun.of(enclave.prefix + [program, "health", "--config", file])
        #expect(health.status == 2)
        let words = "FAILED   daemon: running, but polls pause: nothing can be stored, next try "
        #expect(health.output.contains(words), "\(health.output)")
        #expect(try await read(feeds, in: enclave, "SELECT max(failures) FROM sources_v1") == "0\n")
        // The database refuses it for a time, so it may be tried again.
        let reset = try await MeasuredRun.of(enclave.prefix + [program, "reset", "quakes", "--config", file])
        #expect(reset.status == 75, "\(reset.output)\(reset.errors)")
        #expect(reset.output.isEmpty && reset.errors.contains("quakes: "), "\(reset.output)\(reset.errors)")

        _ = try await enclave.run("rm '\(feeds.disk)/zeros'")
        #expect(await process.says("store can be written again"), "\(process.lines.all.suffix(5))")
        let count = process.linesHolding("poll ended").count
        #expect(await process.lines.wait { $0.count { $0.contains("poll ended") } > count })
        process.signal(SIGTERM)
        #expect(await process.exit()?.status == 0)
        #expect(process.linesHolding("source is failing").isEmpty)
        #expect(process.linesHolding("store refuses").isEmpty)
        #expect(try await read(feeds, in: enclave, "PRAGMA integrity_check") == "ok\n")
        #expect(try await read(feeds, in: enclave, "SELECT count(*) FROM events_v1") == "\(feeds.count)\n")
    }

    @Test("below the floor of free space polls pause while there is still room, and go on when there is more")
    func floor() async throws {
        let feeds = try await SmallFeeds()
        defer { feeds.end() }
        let file = try feeds.configuration(minimumFree: "32MiB", [feeds.source("quakes")])
        let enclave = try await Enclave("mount -t tmpfs -o size=96m none '\(feeds.disk)'")
        let process = try DaemonProcess(configuration: file, within: enclave.prefix)
        defer { process.signal(SIGKILL) }
        #expect(await process.says("poll ended", "source=quakes", "next_reason=interval"))
        feeds.stopGrowing()
        _ = try await enclave.run("dd if=/dev/zero of='\(feeds.disk)/zeros' bs=1M count=70 2>&1")
        #expect(await process.says("disk space is low, paid reads stop"))
        #expect(await process.says("disk space is below the floor, polls pause", "floor=32MiB"))
        let program = try #require(DaemonProcess.executable).path
        let status = try await MeasuredRun.of(enclave.prefix + [program, "status", "--config", file])
        #expect(status.output.contains("below the floor of 32 MiB"), "\(status.output)")
        let words = "the daemon is running, but polls pause: disk, until 36 MiB are free\n"
        #expect(status.output.contains(words), "\(status.output)")

        _ = try await enclave.run("rm '\(feeds.disk)/zeros'")
        let poll = try await MeasuredRun.of(enclave.prefix + [program, "poll", "quakes", "--config", file])
        #expect(poll.status == 0, "\(poll.errors)")
        #expect(await process.says("disk has room again, polls go on"))
        process.signal(SIGTERM)
        #expect(await process.exit()?.status == 0)
        #expect(process.linesHolding("source is failing").isEmpty)
        #expect(process.linesHolding("store cannot be written").isEmpty)
        #expect(try await read(feeds, in: enclave, "SELECT count(*) FROM events_v1") == "\(feeds.count)\n")
    }

    @Test("on a read-only file system it says so and ends; made writable, it works")
    func readOnlyAtTheStart() async throws {
        let feeds = try await SmallFeeds()
        defer { feeds.end() }
        let file = try feeds.configuration([feeds.source("quakes")])
        let enclave = try await Enclave("mount -t tmpfs -o size=32m none '\(feeds.disk)'")
        let program = try #require(DaemonProcess.executable).path
        let first = try await MeasuredRun.of(enclave.prefix + [program, "poll", "quakes", "--config", file])
        #expect(first.status == 0, "\(first.errors)")
        #expect(try await enclave.run("mount -o remount,ro '\(feeds.disk)'").status == 0)
        for command in [["run"], ["poll", "quakes"]] {
            let run = try await MeasuredRun.of(enclave.prefix + [program] + command + ["--config", file])
            #expect([69, 75].contains(run.status), "\(command): \(run.status)")
            #expect(run.errors.contains("Read-only file system") || run.errors.contains("cannot be written"))
        }
        #expect(try await enclave.run("mount -o remount,rw '\(feeds.disk)'").status == 0)
        let last = try await MeasuredRun.of(enclave.prefix + [program, "poll", "quakes", "--config", file])
        #expect(last.status == 0, "\(last.errors)")
        #expect(try await read(feeds, in: enclave, "PRAGMA integrity_check") == "ok\n")
        #expect(try await read(feeds, in: enclave, "SELECT count(*) FROM events_v1") == "\(feeds.count)\n")
    }

    /// Linux does not remount a file system read-only while files are open for writing. ext4 does so itself after an
    /// error, and permanently, so a new mount and a new start follow.
    private static let failingDisk = """
        truncate -s 48M "$image"
        mkfs.ext4 -q -O ^has_journal "$image"
        mount -o loop,errors=remount-ro "$image" "$disk"
        test -w /sys/fs/ext4/$(basename "$(findmnt -no SOURCE "$disk")")/trigger_fs_error
        """

    @Test(
        "a disk that fails under the running daemon pauses polls and blames no source",
        .enabled("loop devices, mkfs.ext4 and ext4's trigger_fs_error are not all there") {
            let names = "image=$(mktemp); disk=$(mktemp -d)\ntrap 'rm -f $image' EXIT\n"
            return Enclave.isRoot && Enclave.permits(names + DiskTests.failingDisk)
        })
    func failingWhileRunning() async throws {
        let feeds = try await SmallFeeds()
        defer { feeds.end() }
        let file = try feeds.configuration([feeds.source("quakes")])
        let names = "image='\(feeds.directory.path)/image'; disk='\(feeds.disk)'\n"
        let enclave = try await Enclave(names + Self.failingDisk)
        let process = try DaemonProcess(configuration: file, within: enclave.prefix)
        defer { process.signal(SIGKILL) }
        #expect(await process.says("poll ended", "source=quakes", "next_reason=interval"))
        let fault = try await enclave.run(
            names + "echo proof > /sys/fs/ext4/$(basename \"$(findmnt -no SOURCE \"$disk\")\")/trigger_fs_error")
        #expect(fault.status == 0, "\(fault.errors)")
        #expect(await process.says("store cannot be written, polls pause"))
        feeds.stopGrowing()
        process.signal(SIGTERM)
        #expect(await process.exit()?.status == 0)
        #expect(process.linesHolding("source is failing").isEmpty)

        let mended = try await enclave.run(names + "umount \"$disk\"; mount -o loop \"$image\" \"$disk\"")
        #expect(mended.status == 0, "\(mended.errors)")
        let program = try #require(DaemonProcess.executable).path
        let poll = try await MeasuredRun.of(enclave.prefix + [program, "poll", "quakes", "--config", file])
        #expect(poll.status == 0, "\(poll.errors)")
        #expect(try await read(feeds, in: enclave, "PRAGMA integrity_check") == "ok\n")
        #expect(try await read(feeds, in: enclave, "SELECT count(*) FROM events_v1") == "\(feeds.count)\n")
    }
}
