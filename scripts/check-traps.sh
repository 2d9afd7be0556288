#!/usr/bin/env bash
# Finds code in the product that would end the process for a value from outside: force unwraps, try!, as!, fatalError,
# preconditions, unowned references, and numbers with a fraction that become integers or durations without a clamp.
#
#     scripts/check-traps.sh
#
# scripts/traps-allowed.txt lists the places that stay: "path: line # reason". A place that is not listed fails, and so
# does a line of the list that matches nothing. The compiler knows types, so it is the stricter judge of conversions:
# Model deprecates those of Double, and Package.swift makes that an error. This script reads text; a number counts as
# one with a fraction by its literal, a function's name, or a name that Sources declare as Double anywhere.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec python3 - <<'PYTHON'
import pathlib, re, sys

# Not in the product; the list of Package.swift.
OTHERS = {
    "ScriptedUpstream", "scripted-upstream", "toponym-report", "TestSupport", "ProcessSupport", "Simulation",
    "simulate", "FuzzTargets", "fuzz",
}
ALLOWED = pathlib.Path("scripts/traps-allowed.txt")

FLOAT = r"(?:Double|TimeInterval|Float|CGFloat)"
DECLARED = re.compile(
    rf"\b(\w+)\s*:\s*\[?{FLOAT}\b|\bfunc\s+(\w+)[^{{}}]*->\s*{FLOAT}\b|\b(?:let|var)\s+(\w+)\s*=\s*-?\d[\d_]*\.\d")
FRACTION = re.compile(
    rf"\.rounded\b|\b{FLOAT}\b|\d\.\d|\d[eE][-+]?\d|timeInterval|squareRoot|\.pi\b"
    r"|\b(?:floor|ceil|round|trunc|pow|exp|log|log2|log10|sqrt|fmod)\(")
CONVERSION = re.compile(
    r"\b(?:U?Int(?:8|16|32|64|128)?|C(?:Unsigned)?(?:Int|Long|LongLong|Short|Char)|off_t|time_t|numericCast)"
    r"(?:\.init)?\(|\.(?:seconds|milliseconds|microseconds|nanoseconds)\(")
WORDS = [
    ("force unwrap", re.compile(r"[\w)\]}>\"?`]!(?![=\w])|[\w)\]}>\"?`]!(?=\s*[.\[(])")),
    ("try!", re.compile(r"\btry!")),
    ("as!", re.compile(r"\bas!")),
    ("fatal error", re.compile(r"\b(?:fatalError|preconditionFailure|precondition|assertionFailure|abort)\(")),
    ("unowned", re.compile(r"\bunowned\b")),
    ("unchecked", re.compile(r"\b(?:unsafelyUnwrapped|unsafeDowncast)\b")),
]


def code(text):
    """The text without comments and without the words of literals; interpolations stay."""
    out, index, stack = [], 0, []  # the stack holds the closing mark of each literal, and depths of interpolations
    while index < len(text):
        top = stack[-1] if stack else None
        if isinstance(top, str):
            hashes = "#" * top.count("#")
            if text.startswith(top, index):
                out.append('"'), stack.pop()
                index += len(top)
            elif text.startswith("\\" + hashes + "(", index):
                out.append("("), stack.append(1)
                index += 2 + len(hashes)
            elif text[index] == "\\" and not hashes:
                index += 2
            else:
                if text[index] == "\n": out.append("\n")
                index += 1
            continue
        if text.startswith("//", index):
            end = text.find("\n", index)
            index = len(text) if end < 0 else end
            continue
        if text.startswith("/*", index):
            end = text.index("*/", index) + 2
            out.append("\n" * text.count("\n", index, end))
            index = end
            continue
        opening = re.compile(r'(#*)("""|")').match(text, index)
        if opening:
            stack.append(opening[2] + opening[1]), out.append('"')
            index = opening.end()
            continue
        if isinstance(top, int):
            stack[-1] += (text[index] == "(") - (text[index] == ")")
            if stack[-1] == 0: stack.pop()
        out.append(text[index])
        index += 1
    return "".join(out)


def argument(text, start):
    depth, index = 1, start
    while index < len(text) and depth:
        depth += (text[index] in "([{") - (text[index] in ")]}")
        index += 1
    return text[start : index - 1]


def findings(text, anywhere):
    """Numbers of lines, from 1, with what is wrong there; `anywhere` are the names of numbers with a fraction."""
    here = declared(text)
    # A name may stand for a whole number in another file.
    whole = {name for name, _ in re.findall(r"\b(\w+)\s*:\s*(U?Int(?:8|16|32|64)?|String|CInt)\b", text)} - here
    for number, line in enumerate(text.split("\n"), 1):
        for what, pattern in WORDS:
            if pattern.search(line): yield number, what
    for match in CONVERSION.finditer(text):
        inner = argument(text, match.end()).strip()
        if re.match(r"(?:exactly|clamping|truncatingIfNeeded|bitPattern|ascii)\s*:", inner): continue
        # A literal of seconds cannot be too large.
        if match[0].startswith(".") and re.fullmatch(r"-?[\d_]+(?:\.[\d_]+)?", inner): continue
        # What is indexed or passed to a function in the argument is not the number itself.
        names = re.findall(r"[A-Za-z_]\w*", re.sub(r"\[[^\]]*\]|\w+\([^()]*\)|MemoryLayout<\w+>\.size", "", inner))
        floats = here if match[0].startswith(".") else anywhere - whole
        if FRACTION.search(inner) or (names and names[-1] in floats):
            yield text.count("\n", 0, match.start()) + 1, "number without a clamp"


def declared(text): return {name for match in DECLARED.findall(text) for name in match if name}


# What must be found, and what must not: the check of the check.
WRONG = ["x!", "a[0]!.b", 'try! f()', "x as! Int", "fatalError()", "let a: Int!", '"\\(x!)"', "Int(x.rounded())",
         "Int64(wait)", "Int(fact.wait)", "UInt8(1.5)", "Duration.seconds(2 * x.timeIntervalSince(y))", "map { Int($0 * 1e7) }",
         "precondition(a)", "unowned let a: B", '#"\\#(x!)"#']
RIGHT = ["!x", "a != b", "x !== y", "// x!", '"Stop!"', "Int(text)", "Int(clamping: wait)", "Int(bytes.count)",
         ".seconds(60)", ".seconds(0.5)", "try? f()", "x as? Int", '"""\nNo!\n"""', "Int(exactly: wait)"]
floats = declared("let wait: Double")
broken = [line for line in WRONG if not list(findings(code(line), floats))]
broken += [line for line in RIGHT if list(findings(code(line), floats))]
if broken: sys.exit(f"check-traps.sh is broken, it misjudges {broken}")

files = [path for path in sorted(pathlib.Path("Sources").rglob("*.swift")) if path.parts[1] not in OTHERS]
texts = {path: path.read_text() for path in files}
codes = {path: code(text) for path, text in texts.items()}
floats = set().union(*(declared(text) for text in codes.values()))

allowed = {}
for row in ALLOWED.read_text().splitlines():
    if not row.strip() or row.startswith("#"): continue
    place, mark, reason = row.rpartition(" # ")
    if not mark or not reason.strip(): sys.exit(f"{ALLOWED}: no reason: {row}")
    allowed[place] = False

status = 0
for path in files:
    lines = texts[path].split("\n")
    for number, what in findings(codes[path], floats):
        place = f"{path}: {lines[number - 1].strip()}"
        if place in allowed:
            allowed[place] = True
        else:
            print(f"{path}:{number}: {what}: {lines[number - 1].strip()}", file=sys.stderr)
            status = 1
for place, is_used in allowed.items():
    if not is_used:
        print(f"{ALLOWED}: matches nothing any more: {place}", file=sys.stderr)
        status = 1
sys.exit(status)
PYTHON
