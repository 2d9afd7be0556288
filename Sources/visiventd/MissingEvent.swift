import ArgumentParser
import Model
import Store

extension EventStore {
    /// Prints why a public id leads to no event: it was truncated or merged, or is unknown.
    /// - Returns: The exit code.
    func complain(ofMissing id: String) throws(StoreError) -> ExitCode {
        let last = try lastChange(of: id)
        let at = last?.at.wholeSeconds ?? ""
        let hint = id.count == 16 ? "" : "; a public id has 16 characters, as in the column ID of visiventd events"
        let words =
            switch last?.kind {
            case .truncated: "event '\(id)' was truncated at \(at): it had expired, or its source was reset"
            case .merged: "event '\(id)' was merged into another one at \(at), which has been truncated since"
            case .new, .revised, .located, .withdrawn, .restored, nil: "there is no event '\(id)'\(hint)"
            }
        Terminal.printError("visiventd: \(words)")
        return ExitStatus.unavailable
    }
}
