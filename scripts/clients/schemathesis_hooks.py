"""Rules between parameters, which OpenAPI 3.0 cannot say: schemathesis leaves out requests that break one, since their
refusal is no failure. docs/api.md has the rules, and the service's own tests show that they are kept."""
from datetime import datetime, timedelta, timezone

import schemathesis


def numbers(value):
    """A list of numbers; None for other values."""
    values = value if isinstance(value, list) else str(value).split(',')
    try:
        return [float(number) for number in values]
    except (TypeError, ValueError):
        return None


def is_box(value):
    """Whether four or six numbers are a box on Earth with the south below the north."""
    box = numbers(value)
    if box is None:
        return True
    if len(box) not in (4, 6):
        return False
    west, south, east, north = box if len(box) == 4 else (box[0], box[1], box[3], box[4])
    return max(abs(west), abs(east)) <= 540 and -90 <= south <= north <= 90


def is_range(query, name):
    """Whether the least value is not above the most."""
    least, most = numbers(query.get('min_' + name)), numbers(query.get('max_' + name))
    return not least or not most or least[0] <= most[0]


def instant(text):
    """A time, milliseconds since 1970 or the beginning of a date; raises ValueError for the 31st of June and for
    year 0."""
    if is_count(text):
        return datetime.fromtimestamp(int(text) / 1000, tz=timezone.utc)
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)


def is_count(text):
    """Whether a time is written as milliseconds since 1970."""
    return len(text) == 13 and text.isdigit()


def is_time(value):
    """Whether the times of an interval exist and stand in their order."""
    try:
        times = [None if part in ('', '..') else instant(part) for part in str(value).split('/')]
        if len(times) == 2 and None not in times:
            end = str(value).split('/')[1]
            last = times[1] + timedelta(days='T' not in end and not is_count(end))
            return times[0] <= last
    except (ValueError, OverflowError):
        return False
    return True


def says(query, name, word):
    return str(query.get(name)).lower() == word


def keeps_rules(query):
    """Whether values agree with each other. Cursors come from links, names and numbers of changes from the record, so
    none is made up."""
    if {'cursor', 'source', 'provider', 'category', 'near'} & set(query):
        return False
    if str(query.get('as_of', 'none')).isdigit() or {'bin', 'bins'} <= set(query):
        return False
    if 'bbox' in query and not is_box(query['bbox']) or ('latitude' in query) != ('longitude' in query):
        return False
    if 'radius' in query and 'latitude' not in query:
        return False
    if 'q' in query and not any(character.isalnum() for character in str(query['q'])):
        return False
    if 'datetime' in query and not is_time(query['datetime']):
        return False
    if 'as_of' in query and not is_time(f"{query['as_of']}/{datetime.now(timezone.utc).isoformat()}"):
        return False
    if says(query, 'versions', 'true') and (
            not says(query, 'f', 'columns') or {'as_of', 'sortby'} & set(query)):
        return False
    if says(query, 'skipGeometry', 'true') and query.get('f') not in (None, 'json', 'geojson', 'geojsonseq'):
        return False
    if says(query, 'located', 'false') and {'precision', 'evidence', 'country'} & set(query):
        return False
    if says(query, 'located', 'false') and says(query, 'home', 'only'):
        return False
    return is_range(query, 'magnitude') and is_range(query, 'depth')


@schemathesis.hook
def filter_case(context, case):
    return keeps_rules(case.query or {})
