/// The program's version.
public enum Version {
    /// The version in `visiventd --version` and in the User-Agent: three numbers with dots (<https://semver.org>).
    public static let current = "0.1.0"
}
