#!/usr/bin/env python3
"""Makes the files of words that are not made by hand: flinn-engdahl.txt, languages.txt, namesakes.txt and spoken.txt.

    scripts/words.py [--wheels FOLDER]

Frequencies of words come from wordfreq, the Flinn-Engdahl tables from ObsPy, both from PyPI, pinned with hashes; names
of cities, and the languages of countries, from GeoNames in ../shared/data. Two runs give the same files. --wheels takes
packages that are there instead of fetching them.
"""
import argparse
import collections
import gzip
import hashlib
import io
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import unicodedata
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORDS = ROOT / 'Sources' / 'CWords' / 'Words'
CITIES = ROOT.parent / 'shared' / 'data' / 'cities' / 'geonames_cities500.txt.gz'
COUNTRIES = ROOT.parent / 'shared' / 'data' / 'cities' / 'geonames_countryInfo.txt'
WHEELS = {
    'wordfreq==3.1.1': '4b1c6ecffc6198be3396d5cf871c4423ca71c907c231348d352dd54d62b97473',
    'obspy==1.5.1': 'c39707a77f5b63546d6fbcf8b0d2d9d983939bab5b22e9ee0ccfe5f1875e8740',
}
# Countries of the languages with Latin letters whose words are looked for among cities. A large city there is rather
# meant itself.
LANGUAGES = {
    'de': 'DE AT CH LI LU', 'en': 'GB US CA AU NZ IE ZA',
    'es': 'ES MX AR CO PE VE CL EC GT CU BO DO HN PY SV NI CR PA UY PR',
    'fr': 'FR BE CH CA LU', 'id': 'ID MY', 'it': 'IT CH SM', 'pt': 'PT BR AO MZ', 'sv': 'SE FI',
    'tr': 'TR CY',
}
# Their neighbours, which are told from them by their most frequent words.
NEIGHBOURS = ['cs', 'da', 'fi', 'fil', 'hu', 'nb', 'nl', 'pl', 'ro']
MOST_FREQUENT = 150
LEAST_ZIPF = 4.0
LARGE_CITY = 10_000
# A city that all know is meant by its name, unless the word is among the most frequent.
KNOWN_CITY = 100_000
KNOWN_ZIPF = 5.0
# Letters that one of these languages has alone.
LETTERS = {'cs': 'ěřů', 'de': 'ß', 'es': 'ñ', 'hu': 'őű', 'pl': 'łżź', 'pt': 'ãõ', 'ro': 'țș', 'tr': 'ğış'}


def packages(folder):
    """The wheels by name, opened."""
    with tempfile.TemporaryDirectory() as fetched:
        if folder is None:
            folder = fetched
            subprocess.run(
                [sys.executable, '-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary', ':all:',
                 # Only data are read, so that the wheel that is pinned serves any machine.
                 '--python-version', '3.11', '--platform', 'manylinux_2_28_x86_64', '--dest', folder, *WHEELS],
                check=True)
        found = {}
        for pin, digest in WHEELS.items():
            name, version = pin.split('==')
            data = next(pathlib.Path(folder).glob(f'{name}-{version}-*.whl')).read_bytes()
            if hashlib.sha256(data).hexdigest() != digest:
                sys.exit(f'{pin} is not the wheel that is pinned')
            found[name] = zipfile.ZipFile(io.BytesIO(data))
        return found


# MARK: - Words

def unpacked(data):
    """The value of a MessagePack document of maps, arrays, numbers and texts."""
    place = 0

    def take(count):
        nonlocal place
        place += count
        return data[place - count:place]

    def number(count):
        return int.from_bytes(take(count), 'big')

    def value():
        byte = number(1)
        if byte < 0x80: return byte
        if byte < 0x90: return {value(): value() for _ in range(byte & 15)}
        if byte < 0xA0: return [value() for _ in range(byte & 15)]
        if byte < 0xC0: return take(byte & 31).decode()
        if byte in (0xCC, 0xCD, 0xCE): return number(1 << (byte - 0xCC))
        if byte in (0xD9, 0xDA, 0xDB): return take(number(1 << (byte - 0xD9))).decode()
        if byte in (0xDC, 0xDD): return [value() for _ in range(number(2 << (byte - 0xDC)))]
        raise ValueError(f'byte {byte:#x} at {place}')

    return value()


def frequencies(wheel, language):
    """Zipf frequencies of words: the logarithm of their number in a thousand million words."""
    buckets = unpacked(gzip.decompress(wheel.read(f'wordfreq/data/small_{language}.msgpack.gz')))[1:]
    return {word: 9 - index / 100 for index, bucket in enumerate(buckets) for word in bucket}


def folded(name):
    """A name as NameFolding folds it, for one word."""
    name = name.replace('ß', 'ss').replace('ı', 'i').replace('ø', 'o').replace('æ', 'ae').replace('ł', 'l')
    plain = unicodedata.normalize('NFD', name.lower())
    return ''.join(letter for letter in plain if not unicodedata.combining(letter))


def wrapped(words):
    return '\n'.join(textwrap.wrap(' '.join(words), 118, break_long_words=False, break_on_hyphens=False))


def head(text):
    return '\n'.join(textwrap.wrap(text, 118, initial_indent='# ', subsequent_indent='# ')) + '\n'


SOURCE = (
    'Made by scripts/words.py from wordfreq 3.1.1 (Robyn Speer; data CC BY-SA 4.0, https://github.com/rspeer/wordfreq)')


def languages(wheel):
    text = head(
        'The most frequent words of languages, for TextLanguage; behind * a letter that one of them has alone.') + head(
        SOURCE + '; licence: CC BY-SA 4.0.')
    for language in sorted([*LANGUAGES, *NEIGHBOURS]):
        found = frequencies(wheel, language)
        words = [word for word in found if word.isalpha()]
        words.sort(key=lambda word: (-found[word], word))
        text += f'\n[{language}]\n{wrapped([*words[:MOST_FREQUENT], *("*" + letter for letter in LETTERS.get(language, ""))])}\n'
    return text


def namesakes(wheel):
    """Words of each language that are also the name of a city, by frequency."""
    names = collections.defaultdict(dict)
    for line in gzip.open(CITIES, 'rt', encoding='utf-8'):
        row = line.split('\t')
        for name in {folded(row[1]), folded(row[2])}:
            countries = names[name]
            countries[row[8]] = max(countries.get(row[8], 0), int(row[14]))
    known = {language: frequencies(wheel, language) for language in LANGUAGES}
    text = head('Common words that are also names of cities, with their Zipf frequency (the logarithm of their number in '
                'a thousand million words), for CommonWords. A word that English has as often, or the name of a city '
                f'of {LARGE_CITY} in a country of the language, or of {KNOWN_CITY} anywhere below {KNOWN_ZIPF}, is '
                'left out; in English one that German has as often.')
    text += head(SOURCE + ' and GeoNames cities500 (CC BY 4.0, https://www.geonames.org); licence: CC BY-SA 4.0.')
    for language, countries in LANGUAGES.items():
        other = known['de' if language == 'en' else 'en']
        elsewhere = collections.defaultdict(float)
        for word, zipf in other.items(): elsewhere[folded(word)] = max(elsewhere[folded(word)], zipf)
        found = collections.defaultdict(float)
        for word, zipf in known[language].items():
            key = folded(word)
            if zipf < LEAST_ZIPF or len(key) < 2 or not key.isalpha() or key not in names: continue
            if zipf - elsewhere.get(key, 0) < 1: continue
            if any(names[key].get(country, 0) >= LARGE_CITY for country in countries.split()): continue
            if max(names[key].values()) >= KNOWN_CITY and zipf < KNOWN_ZIPF: continue
            found[key] = max(found[key], zipf)
        groups = collections.defaultdict(list)
        for key, zipf in found.items(): groups[f'{zipf:.1f}'].append(key)
        text += f'\n[{language}]\n'
        for zipf in sorted(groups, reverse=True):
            for line in textwrap.wrap(', '.join(sorted(groups[zipf])), 112): text += f'{zipf} | {line.rstrip(",")}\n'
    return text


# Languages of many countries, which are a country's own if they come first or have its tag (`fr-CA`).
WIDE = 'ar de en es fr it pt'.split()
# Where GeoNames' list misleads: Morocco and Tunisia have news in French; most news in Spanish about the USA is of others.
OWN = {('MA', 'fr'): True, ('TN', 'fr'): True, ('US', 'es'): False}


def spoken():
    """The languages of each country."""
    text = head('The languages of the news of countries (ISO 639 codes, by ISO 3166-1), for HomePrior.')
    text += head('Made by scripts/words.py from GeoNames countryInfo (https://www.geonames.org); licence: CC BY 4.0.')
    text += '\n[countries]\n'
    for line in COUNTRIES.read_text(encoding='utf-8-sig').splitlines():
        if line.startswith('#'): continue
        row = line.split('\t')
        country, own = row[0], []
        for place, tag in enumerate(filter(None, row[15].split(','))):
            language = tag.split('-')[0]
            counts = place == 0 or tag.endswith('-' + country) or language not in WIDE
            if OWN.get((country, language), counts) and language not in own: own.append(language)
        if own: text += f'{country} | {", ".join(own)}\n'
    return text


# MARK: - Regions

QUADRANTS = ['ne', 'nw', 'se', 'sw']
NOUNS = {'N': 'NORTH', 'E': 'EAST', 'S': 'SOUTH', 'W': 'WEST'}
ADJECTIVES = {
    'N': 'NORTHERN', 'E': 'EASTERN', 'S': 'SOUTHERN', 'W': 'WESTERN', 'C': 'CENTRAL', 'N.E': 'NORTHEASTERN',
    'NW': 'NORTHWESTERN', 'SW': 'SOUTHWESTERN',
}
ABBREVIATIONS = {
    'CALIF.': 'CALIFORNIA', 'IS.': 'ISLANDS', 'ISL.,': 'ISLANDS,', 'N.Z.': 'NEW ZEALAND', 'P.N.G.': 'PAPUA NEW GUINEA',
    'PNG.': 'PAPUA NEW GUINEA', 'REG.': 'REGION', 'REG': 'REGION', 'REG.,': 'REGION,', 'REG,': 'REGION,',
    'BORD': 'BORDER', 'BRD': 'BORDER', 'SENGAL': 'SENEGAL', 'PROV.,': 'PROVINCE,', 'ARG.': 'ARGENTINA', 'S.E.': 'SOUTHEAST',
}
LARGEST_AREA = 750
AREA = re.compile(
    r'\b(Sea|Strait|Gulf|Bay|Channel|Passage|Ridge|Rise|Mountains|Hindu Kush|Pyrenees|Caucasus|Peninsula|Islands|Plateau)\b')
NO_AREA = re.compile(r'^(Off|Near|(North|South)?(North|South|East|West|east|west) of) |Border|^Near Islands')


def written_out(name):
    """A name of the standard without its abbreviations, in mixed case."""
    name = name.replace('CALIF.-BAJA CALIF.', 'CALIFORNIA-BAJA CALIFORNIA')
    words = [ABBREVIATIONS.get(word, word) for word in name.split()]
    for index, word in enumerate(words):
        is_noun = index + 1 < len(words) and words[index + 1].rstrip(',') in ('COAST', 'ISLAND')
        known = NOUNS if is_noun else ADJECTIVES
        words[index] = '-'.join(
            known[part.rstrip('.')] if part.rstrip('.') in known else part for part in word.split('-'))
    name = ' '.join(words).title()
    name = re.sub(r" (Of|Del|And|Da) |'Ye", lambda match: match[0].lower(), name)
    name = name.replace('Northwestern Territories', 'Northwest Territories').replace('of United', 'of the United')
    return re.sub(r'^(Off|Near) ((?:\w+ )?Coast)', r'\1 the \2', name)


def cells(rows):
    """Region, latitude and longitude of the middle of each degree."""
    for quadrant in QUADRANTS:
        for degree, row in enumerate(rows[quadrant][:90]):
            for (start, region), (end, _) in zip(row, [*row[1:], (180, 0)]):
                for longitude in range(start, min(end, 180)):
                    yield (region, (degree + 0.5) * (1 if quadrant[0] == 'n' else -1),
                           (longitude + 0.5) * (1 if quadrant[1] == 'e' else -1))


def circles(rows):
    """The middle of each region, and how far it is spread in kilometres (root mean square)."""
    points = collections.defaultdict(list)
    for region, latitude, longitude in cells(rows):
        phi, theta = math.radians(latitude), math.radians(longitude)
        points[region].append((math.cos(phi) * math.cos(theta), math.cos(phi) * math.sin(theta), math.sin(phi)))
    for region, vectors in points.items():
        # A degree is smaller towards the poles.
        weights = [math.hypot(x, y) for x, y, _ in vectors]
        middle = [sum(w * v[axis] for w, v in zip(weights, vectors)) for axis in range(3)]
        length = math.hypot(*middle)
        middle = [part / length for part in middle]
        squares = 0
        for weight, vector in zip(weights, vectors):
            cosine = sum(a * b for a, b in zip(middle, vector))
            squares += weight * (6371 * math.acos(max(-1, min(1, cosine)))) ** 2
        yield region, (math.degrees(math.asin(middle[2])), math.degrees(math.atan2(middle[1], middle[0])),
                       max(50, math.sqrt(squares / sum(weights))))


def regions(wheel):
    def read(name):
        return wheel.read(f'obspy/geodetics/data/{name}').decode('ascii')

    names = [written_out(line.strip()) for line in read('names.asc').splitlines() if line.strip()]
    counts = [int(number) for number in read('quadsidx.asc').split()]
    rows = {}
    for place, quadrant in enumerate(QUADRANTS):
        numbers = iter(int(number) for number in read(f'{quadrant}sect.asc').split())
        rows[quadrant] = [[(next(numbers), next(numbers)) for _ in range(count)]
                          for count in counts[place * 91:(place + 1) * 91]]
    circle = dict(circles(rows))
    areas = {}
    for number, name in enumerate(names, 1):
        plain = re.sub(r' Region$', '', name.split(',')[0])
        if number not in circle or not AREA.search(name) or NO_AREA.search(name): continue
        if circle[number][2] > LARGEST_AREA: continue
        if plain not in areas or not name.endswith('Region'): areas[plain] = number
    text = head('The 757 seismic and geographical regions of Flinn and Engdahl (revision of 1995; Young et al., Physics '
                'of the Earth and Planetary Interiors 96, 1996), for FlinnEngdahl.')
    text += head('Made by scripts/words.py from the tables of the USGS in ObsPy 1.5.1, which are in the public domain. '
                 'Abbreviations are written out.')
    text += '\n# Names by number, from 1 on.\n[names]\n' + '\n'.join(names) + '\n'
    text += ('\n# Names that texts may have, with number, and latitude, longitude and radius in kilometres (root mean '
             'square) of\n# a circle.\n[areas]\n')
    for name, number in sorted(areas.items()):
        latitude, longitude, radius = circle[number]
        text += f'{name} | {number}, {latitude:.1f}, {longitude:.1f}, {radius:.0f}\n'
    text += ('\n# For each quadrant and degree of latitude, from the equator on: degrees of longitude, from Greenwich on, '
             'where a\n# region begins, and its number. =: as in the degree before.\n')
    for quadrant in QUADRANTS:
        text += f'[{quadrant}]\n'
        last = None
        for row in rows[quadrant]:
            text += ('=' if row == last else ' '.join(f'{start} {region}' for start, region in row)) + '\n'
            last = row
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--wheels', type=pathlib.Path)
    wheels = packages(parser.parse_args().wheels)
    (WORDS / 'languages.txt').write_text(languages(wheels['wordfreq']), encoding='utf-8')
    (WORDS / 'namesakes.txt').write_text(namesakes(wheels['wordfreq']), encoding='utf-8')
    (WORDS / 'spoken.txt').write_text(spoken(), encoding='utf-8')
    (WORDS / 'flinn-engdahl.txt').write_text(regions(wheels['obspy']), encoding='utf-8')


if __name__ == '__main__':
    main()
