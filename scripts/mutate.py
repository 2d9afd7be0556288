#!/usr/bin/env python3
"""Changes the rules of `Reconciling` one at a time; the unit tests must catch each change.

    scripts/mutate.py [N]

ReconcilingTests run on each of twenty changes, or on change N alone. A change that no test catches makes the exit
status 1; one that does not compile is a fault of the list. The tests need no database: a small package in a temporary
folder has Model, a copy of Reconciling and the tests. SWIFT_BUILD_FLAGS is passed to swift build.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RULES = ROOT / 'Sources' / 'Reconciling'
# The settings are those of Package.swift.
MANIFEST = '''// swift-tools-version: 6.2
import PackageDescription
let settings: [SwiftSetting] = [.enableUpcomingFeature("InternalImportsByDefault")]
let package = Package(name: "mutants", targets: [
    .target(name: "Model", swiftSettings: settings),
    .target(name: "Reconciling", dependencies: ["Model"], swiftSettings: settings),
    .testTarget(name: "ReconcilingTests", dependencies: ["Reconciling", "Model"]),
], swiftLanguageModes: [.v6])
'''
# File, old text, new text, and what the change breaks.
CHANGES = [
    ('Absence', 'gone.count > 5', 'gone.count >= 5', 'five missing events are a mass'),
    ('Absence', '$0.settledFingerprint !=', '$0.fingerprint !=', 'an incomplete snapshot settles the settings'),
    ('Absence', 'link.isEnabled, ', '', 'a disabled source keeps an event'),
    ('Acceptance', 'if isClockTrusted, base <', 'if base <', 'an untrusted clock proves an age'),
    ('Acceptance', 'if name != event.id, !found', 'if !found', 'a replaced event is not withdrawn'),
    ('Budget', 'use.total += grown', '', 'what the transaction has added does not count'),
    ('Claims', 'if known.isEmpty { known = try showing() }', '_ = showing', 'who shows a sender does not bind it'),
    ('Correction', 'time > other?.time', 'time >= other?.time', 'of equal corrections the other counts'),
    ('Expiry', 'ageBase >= max(', 'ageBase > max(', 'an event goes a moment too early'),
    ('Matching', '{ rows.min() }', '{ rows.max() }', 'the youngest row of an event stays'),
    ('Merging', 'min(older.firstSeen,', 'max(older.firstSeen,', 'a merge keeps the later first sight'),
    ('Placing', ', row.withdrawnReason == nil', '', 'a withdrawn event gets a place'),
    ('Refusals', 'prefix(room - items.count)', 'prefix(room)', 'events and issues have a room each'),
    ('Resetting', 'links.count == 1', 'links.count >= 1', 'a reset removes what another source shows'),
    ('Revising', 'return new < stored', 'return new <= stored', 'a version of the same time is older'),
    ('Revising', 'return try isSuperseded()', 'return false', 'of equal times the superseded is not older'),
    ('Revising', 'if row.isErased { return true }', '', 'deleted words come back'),
    ('Revising', '&& !event.aliases', '&& event.aliases', 'the Update that replaces a message stays withdrawn'),
    ('Trimming', ' where !revisions[index].isMerge', '', 'the revision of a merge is dropped'),
    ('Withdrawing', 'isFamily: true', 'isFamily: false', 'each withdrawal takes a family'),
]


def failing_test(words):
    """Builds the package and runs its tests; gives the first that fails, None if all pass."""
    command = 'swift build --build-tests $SWIFT_BUILD_FLAGS && swift test --skip-build --disable-xctest --no-parallel'
    run = subprocess.run(
        command, shell=True, cwd=package, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    found = re.search(r'Test (\w+)\(.* recorded an issue', run.stdout)
    if run.returncode != 0 and not found:
        sys.exit(f'{run.stdout}\n{words}: does not compile, or ends without a failing test')
    return found and found[1]


for name, old, _, words in CHANGES:
    if (count := (RULES / f'{name}.swift').read_text().count(old)) != 1:
        sys.exit(f'{name}.swift, {words}: "{old}" occurs {count} times, not once')
changes = [CHANGES[int(sys.argv[1]) - 1]] if len(sys.argv) > 1 else CHANGES
caught = 0
with tempfile.TemporaryDirectory(prefix='visiventd-mutate.') as folder:
    package = pathlib.Path(folder)
    (package / 'Package.swift').write_text(MANIFEST)
    shutil.copytree(RULES, package / 'Sources' / 'Reconciling')
    (package / 'Sources' / 'Model').symlink_to(ROOT / 'Sources' / 'Model')
    (package / 'Tests').symlink_to(ROOT / 'Tests')
    if test := failing_test('no change'):
        sys.exit(f'no change: {test} fails')
    for name, old, new, words in changes:
        file = package / 'Sources' / 'Reconciling' / f'{name}.swift'
        text = file.read_text()
        file.write_text(text.replace(old, new))
        test = failing_test(f'{name}.swift, {words}')
        file.write_text(text)
        caught += test is not None
        verdict, by = ('caught', f' (by {test})') if test else ('SURVIVED', '')
        print(f'{verdict} - {name}.swift: {words}{by}', flush=True)
print(f'{caught} of {len(changes)} caught')
sys.exit(caught < len(changes))
