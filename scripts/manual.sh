#!/usr/bin/env bash
# Prints visiventd.yaml(5): converts docs/configuration.md to mdoc(7), so that every key is described in one place.
#
#     scripts/manual.sh | man -l -
#
# It supports the Markdown of that page only: headings, paragraphs, tables, indented and fenced blocks. A table row
# becomes an entry: the first cell is its name, the cell under Meaning its text, and the others follow with the names of
# their columns.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

date=$(LC_ALL=C date --utc --date "@${SOURCE_DATE_EPOCH:-$(stat -c %Y docs/configuration.md)}" '+%B %-d, %Y')
awk -v date="$date" '
    # Text with code spans, emphasis and links; one line per sentence.
    function text(line,    parts, count, i, out, piece) {
        while (match(line, /\[[^]]*\]\([^)]*\)/)) {
            piece = substr(line, RSTART + 1, RLENGTH - 1)
            sub(/\]\(.*/, "", piece)
            line = substr(line, 1, RSTART - 1) piece substr(line, RSTART + RLENGTH)
        }
        count = split(line, parts, "`")
        out = ""
        for (i = 1; i <= count; i++) {
            piece = escaped(parts[i])
            if (i % 2 == 0) {
                gsub(/-/, "\\-", piece)
                piece = "\\fB" piece "\\fR"
            } else {
                gsub(/\*\*|\*/, "", piece)
                gsub(/[.] /, ".\n", piece)
            }
            out = out piece
        }
        gsub(/\n[.\x27]/, "\n\\\\\\&&", out)
        sub(/^[.\x27]/, "\\\\\\&&", out)
        return out
    }
    function escaped(piece) {
        gsub(/\\/, "\\e", piece)
        return piece
    }
    function trimmed(cell) {
        gsub(/^ +| +$/, "", cell)
        return cell
    }
    function sentence(cell) {
        return cell ~ /[.]$/ ? cell : cell "."
    }
    # A table row; the rule under the heading row is skipped.
    function row(line,    cells, count, i, name, first) {
        if (line ~ /^[|: -]+$/) return
        sub(/^\| */, "", line)
        sub(/ *\| *$/, "", line)
        count = split(line, cells, / *\| */)
        if (!isTable) {
            finishParagraph()
            isTable = 1
            delete columns
            for (i = 1; i <= count; i++) columns[i] = trimmed(cells[i])
            print ".Bl -tag -width Ds"
            return
        }
        name = trimmed(cells[1])
        first = 2
        # In tables of kinds, kind and key together name a row.
        if (columns[2] == "Key") {
            name = trimmed(cells[2]) " of " name
            first = 3
        }
        print ".It " text(name)
        for (i = first; i <= count; i++) if (columns[i] == "Meaning") print text(sentence(cells[i]))
        for (i = first; i <= count; i++) {
            if (columns[i] == "Meaning" || cells[i] == "" || cells[i] == "–") continue
            # A table with two columns needs no column names.
            print (count == 2 ? "" : label(columns[i]) ": ") text(sentence(cells[i]))
        }
    }
    # A column headed by a key keeps its spelling.
    function label(column) {
        if (column ~ /`/) return text(column)
        return toupper(substr(column, 1, 1)) substr(column, 2)
    }
    function finishTable() {
        if (isTable) print ".El"
        isTable = 0
    }
    function finishParagraph() {
        if (paragraph != "") {
            if (isAfterText) print ".Pp"
            print text(paragraph)
            isAfterText = 1
        }
        paragraph = ""
    }
    BEGIN {
        print ".\\\" Made from docs/configuration.md by scripts/manual.sh."
        print ".Dd " date "\n.Dt VISIVENTD.YAML 5\n.Os"
        print ".Sh NAME\n.Nm visiventd.yaml\n.Nd configuration of visiventd"
    }
    /^```/ {
        finishTable()
        finishParagraph()
        isLiteral = !isLiteral
        print isLiteral ? ".Bd -literal -offset indent" : ".Ed"
        isAfterText = 1
        next
    }
    isLiteral {
        line = escaped($0)
        gsub(/-/, "\\-", line)
        if (line ~ /^[.\x27]/) line = "\\&" line
        print line
        next
    }
    /^\|/ { row($0); isAfterText = 1; next }
    { finishTable() }
    /^#/ {
        finishParagraph()
        level = index($0, " ") - 1
        sub(/^#+ /, "")
        if (level == 1) print ".Sh DESCRIPTION"
        else if (level == 2) print ".Sh " toupper(text($0))
        else print ".Ss " text($0)
        isAfterText = 0
        next
    }
    /^$/ { finishParagraph(); next }
    { paragraph = paragraph (paragraph == "" ? "" : " ") $0 }
    END {
        finishTable()
        finishParagraph()
        print ".Sh SEE ALSO\n.Xr visiventd 8"
    }
' docs/configuration.md
