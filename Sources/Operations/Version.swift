/// The program's version.
public enum Version {
    /// The version in `visiventd --version` and in the User-Agent.
    public static let current = "0.1.0"
}
