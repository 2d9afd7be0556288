#!/usr/bin/env bash
# Compares the events of two programs from the same XML, such as those of the previous commit and of now.
#
#     scripts/compare-events.sh [OPTION…] OLD NEW
#
#     --items N       put faults into the first N items of a document only; 0: into none (default: all)
#     --only PATTERN  documents whose path matches (a regular expression)
#     --jobs N        concurrent processes (default: one for each core)
#     --show N        differences printed in full (default: 20)
#
# OLD and NEW are visiventd programs. The documents are those of Fixtures/, fuzzing findings included, and the captures
# in ../shared/data if that is beside the checkout. Each of ten faults is also put into each item of each document in
# turn. `visiventd decode` takes one document a call, so programs without shared libraries (scripts/release.sh) are
# fastest: about twenty documents per second and core.
#
# Both programs must agree on events and withdrawals to the last byte, on follow-up requests, on the code of a refusal,
# and on issues except those of markup (bad_xml), whose texts may differ. Each difference is printed with its document;
# the exit status is then 1.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec python3 -c "$(sed '1,/^# python$/d' "${BASH_SOURCE[0]}")" "$@"
# python
import argparse, concurrent.futures, difflib, gzip, io, os, re, subprocess, sys, tempfile, zipfile

CAPTURES = '../shared/data'
# The kinds of the documents in Fixtures/, by path.
KINDS = [
    (r'^(cap/|fuzz/findings/cap/|fuzz/seeds/cap/).*\.xml$', 'cap'), (r'^(gvp|demo)/.*\.cap\.xml$', 'cap'),
    (r'^(kml/|gvp/|demo/|volcanoes/|fuzz/findings/kml/|fuzz/seeds/kml/).*\.km[lz]$', 'kml'),
    (r'^(rss/|fuzz/findings/rss/|fuzz/seeds/rss/).*\.(xml|gz)$', 'rss'), (r'^gvp/.*\.rss\.xml$', 'rss'),
    (r'^demo/(news/.*\.xml|.*\.atom)$', 'rss'), (r'^sitemap/.*\.(xml|gz)$', 'sitemap'),
]
ITEM = re.compile(rb'<((?:[A-Za-z][\w.-]*:)?(?:item|entry|Placemark|info|url))(?:\s[^<>]*)?(?<!/)>')


# MARK: Documents

def unpacked(path, data):
    """The XML of a document that may be compressed; None if it has none."""
    try:
        if path.endswith('.gz'):
            return gzip.decompress(data)
        if path.endswith('.kmz'):
            archive = zipfile.ZipFile(io.BytesIO(data))
            names = [name for name in archive.namelist() if name.endswith('.kml')]
            return archive.read(names[0]) if names else None
    except (OSError, EOFError, zipfile.BadZipFile):
        return None
    return data


def documents():
    """(name, kind, unchanged bytes) of every fixture and capture."""
    for folder, _, files in sorted(os.walk('Fixtures')):
        for file in sorted(files):
            path = os.path.relpath(os.path.join(folder, file), 'Fixtures')
            kind = next((kind for pattern, kind in KINDS if re.search(pattern, path)), None)
            if kind:
                with open(os.path.join('Fixtures', path), 'rb') as document:
                    yield 'Fixtures/' + path, kind, document.read()
    if not os.path.isdir(CAPTURES):
        print('captures are not beside the checkout: they are left out', file=sys.stderr)
        return
    with open('Fixtures/captures.tsv', encoding='utf-8') as table:
        rows = [line.rstrip('\n').split('\t') for line in table if line.strip() and not line.startswith('#')]
    for file, kind, *_ in rows:
        path = os.path.join(CAPTURES, file)
        if kind in ('cap', 'kml', 'rss', 'sitemap') and os.path.exists(path):
            with open(path, 'rb') as document:
                yield 'captures/' + file, kind, document.read()


# MARK: Faults

def masked(xml):
    """The document with CDATA sections and comments blanked, so that their content is not taken for markup."""
    return re.sub(rb'<!\[CDATA\[.*?\]\]>|<!--.*?-->', lambda found: b'x' * len(found[0]), xml, flags=re.DOTALL)


def items(xml):
    """The positions of items: (start, end of the start tag, start of the first end tag within, its end, end)."""
    plain = masked(xml)
    place = 0
    while found := ITEM.search(plain, place):
        place = found.end()
        close = plain.find(b'</' + found[1] + b'>', place)
        inner = re.compile(rb'</[^<>]+>').search(plain, place)
        if close < 0 or inner is None or inner.start() >= close:
            continue
        yield found.start(), found.end(), inner.start(), inner.end(), close
        place = close


def inserted(text, at=2):
    """Inserts a text before the first end tag, or (1) after the item's start tag."""
    return lambda xml, item: xml[:item[at]] + text + xml[item[at]:]


FAULTS = {
    'missing end tag': lambda xml, item: xml[:item[2]] + xml[item[3]:],
    'stray end tag': inserted(b'</stray>', 1),
    'bare ampersand': inserted(b' AT&T R & B ?a=1&b=2 &'),
    'bare less-than sign': inserted(b' 1 < 2 <3 '),
    'unknown entity': inserted(b' &bogus; &amp '),
    'HTML entity in a value': inserted(b'<enclosure url="http://a.example/?b=&eacute;&c=1&nbsp;" type="&hellip;"/>', 1),
    'forbidden character': inserted(b' a\x01b\x0b&#0;&#xFFFE; '),
    'repeated attribute': lambda xml, item: xml[:item[1] - 1] + b' rdf="1" rdf="2"' + xml[item[1] - 1:],
    'unquoted attribute': inserted(b' <b class=x>y</b><br> '),
    'end within the item': lambda xml, item: xml[:(item[2] + item[4]) // 2],
}


def cases(options):
    """(name, kind, ending, bytes) of every compared document."""
    for name, kind, data in documents():
        if options.only and not re.search(options.only, name):
            continue
        yield name, 'as it is', kind, os.path.splitext(name)[1], data
        xml = unpacked(name, data)
        if xml is None:
            continue
        found = list(items(xml))
        for number, item in enumerate(found if options.items is None else found[:options.items], 1):
            for fault, change in FAULTS.items():
                yield '%s, item %d' % (name, number), fault, kind, '.xml', change(xml, item)


# MARK: Comparing

ISSUE = re.compile(r'^(?P<place>.*?): (?P<reason>[a-z_0-9]+)(?P<found>: found ".*")?(?P<lost> \(item refused\))?'
                   r'(?P<times> \(and \d+ more like it\))?$')


def told(program, kind, file, folder):
    """The output of a program for a document, without issues of markup."""
    done = subprocess.run([program, 'decode', kind, file], cwd=folder, capture_output=True, timeout=120)
    lines = done.stdout.decode('utf-8', 'replace').splitlines()
    for line in done.stderr.decode('utf-8', 'replace').splitlines():
        issue = ISSUE.match(line)
        if line.startswith('visiventd: '):
            code = re.search(r'\(([a-z ]+: [a-z_]+)\)$', line)
            lines.append('refused: %s' % (code[1] if code else line))
        elif issue and issue['reason'] == 'bad_xml':
            continue
        elif issue and issue['reason'] == 'truncated':
            lines.append('issue: truncated')
        elif issue and issue['reason'] in ('too_large', 'truncated_item'):
            lines.append('issue: %s: %s' % (issue['place'], issue['reason']))
        else:
            lines.append('issue: ' + line)
    return lines + ['exit status %d' % done.returncode]


def main():
    parser = argparse.ArgumentParser(prog='compare-events.sh')
    parser.add_argument('--items', type=int)
    parser.add_argument('--only')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--show', type=int, default=20)
    parser.add_argument('old')
    parser.add_argument('new')
    options = parser.parse_args()
    programs = [os.path.abspath(options.old), os.path.abspath(options.new)]
    for program in programs:
        if not os.access(program, os.X_OK):
            parser.error('there is no program %s' % program)
    sums, different = {}, []
    memory = '/dev/shm' if os.access('/dev/shm', os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix='visiventd-compare.', dir=memory) as folder, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:

        def compare(number, name, fault, kind, ending, data):
            # Both use the same name, since it is part of the events.
            file = 'document%d%s' % (number, ending)
            with open(os.path.join(folder, file), 'wb') as document:
                document.write(data)
            try:
                return name, fault, [told(program, kind, file, folder) for program in programs]
            finally:
                os.unlink(os.path.join(folder, file))

        # Few documents are in memory at a time.
        waiting, done = set(), 0
        todo = enumerate(cases(options))
        while True:
            while len(waiting) < 4 * options.jobs and (case := next(todo, None)) is not None:
                waiting.add(pool.submit(compare, case[0], *case[1]))
            if not waiting:
                break
            ready, waiting = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in ready:
                name, fault, (old, new) = future.result()
                count = sums.setdefault(fault, [0, 0, 0])
                count[0] += 1
                count[1] += sum(line.startswith('{') for line in old)
                done += 1
                if old != new:
                    count[2] += 1
                    different.append((name, fault, old, new))
                if done % 1000 == 0:
                    print('%d documents, %d differ' % (done, len(different)), file=sys.stderr)
    different.sort(key=lambda case: case[:2])
    for name, fault, old, new in different[:options.show]:
        print('== %s: %s' % (name, fault))
        for line in difflib.unified_diff(old, new, 'old', 'new', lineterm='', n=0):
            print('    ' + (line if len(line) < 2000 else line[:2000] + '…'))
    for name, fault, _, _ in different[options.show:]:
        print('== %s: %s' % (name, fault))
    print('\n%-24s %10s %10s %10s' % ('', 'documents', 'events', 'differ'))
    for fault in ['as it is', *FAULTS]:
        if fault in sums:
            print('%-24s %10d %10d %10d' % (fault, *sums[fault]))
    print('%-24s %10d %10d %10d' % ('in all', *(sum(count[place] for count in sums.values()) for place in range(3))))
    sys.exit(1 if different else 0)


main()
