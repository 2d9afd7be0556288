import ProcessSupport

/// Runs of programs with a terminal as their standard output.
enum PseudoTerminal {
    private static let script = """
        import fcntl, os, pty, struct, sys, termios
        os.environ["NO_COLOR"] = "1"
        child, end = pty.fork()
        if child == 0:
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
            os.chdir(sys.argv[2])
            os.execv(sys.argv[3], sys.argv[3:])
        while True:
            try:
                some = os.read(end, 65536)
            except OSError:
                break
            if not some:
                break
            sys.stdout.buffer.write(some)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """

    /// Runs a command on a terminal of 24 lines, by default of 80 columns in the root folder; its output and errors are
    /// the output.
    static func run(_ command: [String], columns: Int = 80, in folder: String = "/") async throws -> MeasuredRun {
        try await MeasuredRun.of(["python3", "-c", script, "\(columns)", folder] + command)
    }
}
