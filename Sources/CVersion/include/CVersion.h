#pragma once

/// What distinguishes this build from others of the same version, in the form of semver's build metadata:
/// "+git20260301101500.6be3a06"; empty in a build that scripts/release.sh has not made.
const char *visiventd_build(void);
