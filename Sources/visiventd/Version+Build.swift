import CVersion
import Operations

extension Version {
    /// The version of this build, in `visiventd --version`, the log and the metrics:
    /// `0.2.0+git20260301101500.6be3a06`. scripts/version.sh makes the second part.
    static let ofBuild = current + String(cString: visiventd_build())
}
