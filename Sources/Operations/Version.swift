/// The program's version.
public enum Version {
    /// The version of the sources, also in the User-Agent: three numbers with dots (<https://semver.org>).
    /// debian/changelog begins with the same.
    public static let current = "0.2.0"
}
