/// The program's version.
public enum Version {
    /// As `visiventd --version` and the User-Agent give it.
    public static let current = "0.1.0"
}
