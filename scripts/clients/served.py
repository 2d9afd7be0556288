"""Shared by the checks of `visiventd serve`: the service, plain requests, and the rows that answers are compared with.

Arguments: FOLDER PROGRAM. The folder has been filled by served_world.py.
"""
import contextlib
import http.client
import json
import os
import re
import subprocess
import sys
import time
from datetime import datetime, timezone

from checks import BEHIND, RUN, ask
from proxy import PREFIX, proxied

PROGRAM = sys.argv[2]
CONFIGURATION = RUN + '/visiventd.yaml'


# MARK: - The program

def visiventd(*arguments):
    """Output of a command that must succeed."""
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise AssertionError(f'visiventd {" ".join(arguments)}: {done.stderr or done.stdout}')
    return done.stdout


class Service:
    """A running service and its log. Its targets are below a prefix."""

    def __init__(self, address, log, prefix=''):
        self.address = address
        self.prefix = prefix
        self.url = 'http://' + address + prefix
        self.log = log

    def answered(self):
        """The paths of the requests answered so far, from the log."""
        with open(self.log, encoding='utf-8') as file:
            return re.findall(r'request answered .*?path=(\S+)', file.read())

    def get(self, target, method='GET', **fields):
        """The answer to one request on a connection of its own; redirects are not followed. The names of fields are
        written with underscores."""
        connection = http.client.HTTPConnection(self.address, timeout=20)
        with contextlib.closing(connection):
            headers = {name.replace('_', '-'): text for name, text in fields.items()}
            connection.request(method, self.prefix + target, headers=headers)
            response = connection.getresponse()
            return Answer(f'{method} {target}', response, response.read())

    def json(self, target, **fields):
        """The document of an answer 200."""
        return self.get(target, **fields).document(200)

    def offers(self, target):
        """Whether there is something at an address."""
        return self.get(target).status != 404


class Answer:
    """An answer that has been read."""

    def __init__(self, request, response, body):
        self.request, self.status, self.fields, self.body = request, response.status, response.headers, body

    @property
    def text(self):
        return self.body.decode()

    def document(self, status):
        """The JSON of an answer that must have this status."""
        if self.status != status:
            raise AssertionError(f'{self.request}: {self.status} in place of {status}: {self.body[:300]!r}')
        return json.loads(self.body)

    def problem(self, status):
        """The problem (RFC 9457) of an answer that must have this status."""
        document = self.document(status)
        if self.fields['content-type'] != 'application/problem+json' or document['status'] != status:
            raise AssertionError(f'{self.request}: no problem+json: {self.fields["content-type"]} {document}')
        return document


@contextlib.contextmanager
def serving(configuration=None, behind=BEHIND, login=None):
    """A service over the database of a configuration, on a port that the kernel chooses; with `behind` one below a
    prefix, behind nginx (`proxied`)."""
    configuration = configuration or (RUN + '/prefix.yaml' if behind else CONFIGURATION)
    path = f'{RUN}/serve-{os.getpid()}-{time.monotonic_ns()}.log'
    command = [PROGRAM, 'serve', '--config', configuration, '--listen', '127.0.0.1:0']
    with open(path, 'w', encoding='utf-8') as log:
        process = subprocess.Popen(command, stderr=log)
    try:
        address = listening_address(process, path)
        if behind:
            with proxied(address, behind, login) as outside:
                yield Service(outside, path, PREFIX)
        else:
            yield Service(address, path)
    finally:
        process.terminate()
        process.wait(20)


def listening_address(process, path):
    """The address in the log line of a service that has begun to listen."""
    for _ in range(200):
        with open(path, encoding='utf-8') as file:
            found = re.search(r' serving listen=(\S+)', file.read())
        if found:
            return found[1]
        if process.poll() is not None:
            break
        time.sleep(0.05)
    with open(path, encoding='utf-8') as file:
        raise AssertionError('visiventd serve does not listen: ' + file.read())


def fault_of(document):
    """The words of xmllint on an XML document; empty for a well-formed one."""
    return subprocess.run(['xmllint', '--noout', '-'], input=document, capture_output=True, timeout=20).stderr.decode()


# MARK: - The world of served_world.py

def public_id(upstream_id):
    """The public id of the event that has this id at its provider."""
    return ask(f"SELECT public_id FROM aliases_v1 WHERE upstream_id = '{upstream_id}'")[0]['public_id']


def event(identity):
    """The row of an event."""
    return ask(f"SELECT * FROM events_v1 WHERE public_id = '{identity}'")[0]


def change(identity, kind, last=False):
    """The number and time of the first or last change of a kind."""
    order = 'DESC' if last else 'ASC'
    return ask(f"SELECT seq, at_ms FROM changes_v1 WHERE public_id = '{identity}' AND kind = '{kind}' "
               f'ORDER BY seq {order} LIMIT 1')[0]


def standing(condition='1'):
    """The events of a condition that are not withdrawn, newest first."""
    return ask(f'SELECT * FROM events_v1 WHERE withdrawn_reason IS NULL AND ({condition}) ORDER BY time_ms DESC')


def latest(condition='1'):
    """The same, the latest visible change first, as in the Atom feed."""
    return sorted(standing(condition), key=lambda row: row['change_seq'], reverse=True)


def identities(rows):
    return {row['public_id'] for row in rows}


def rfc3339(milliseconds):
    """A time in UTC with milliseconds."""
    moment = datetime.fromtimestamp(milliseconds // 1000, tz=timezone.utc)
    return moment.strftime('%Y-%m-%dT%H:%M:%S.') + f'{milliseconds % 1000:03d}Z'
