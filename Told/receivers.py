"""Receivers of messages: a webhook, an ntfy server and a mail server. What arrives at them is their log."""
import asyncio
import collections
import email
import email.policy
import json
import logging
import os
import re
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'Soak'))
import wire

try:
    from standardwebhooks import Webhook
except ImportError:
    Webhook = None
try:
    from aiosmtpd.smtp import SMTP, AuthResult
except ImportError:
    SMTP = None
# aiosmtpd warns of its own members.
logging.getLogger('mail.log').setLevel(logging.ERROR)

# How the title of a message for people begins, by kind.
PREFIXES = {'Correction:': 'updated', 'Withdrawn:': 'ended', 'No longer:': 'ended', 'Again:': 'restored',
            'Test:': 'test'}


def kind_of(title):
    return next((kind for prefix, kind in PREFIXES.items() if title.startswith(prefix)), 'announced')


class Message:
    """A message as it arrived. `event` is the public id of what it speaks of, None in a digest."""

    def __init__(self, receiver, head, body, kind, event, id, title, json=None, mail=None):
        self.at, self.receiver, self.head, self.body = time.time(), receiver, head, body
        self.kind, self.event, self.id, self.title, self.json, self.mail = kind, event, id, title, json, mail
        self.answer = None

    @property
    def is_taken(self):
        """Whether the receiver has it, whatever the sender knows of that."""
        return self.answer.is_taken

    def __repr__(self):
        return '%s %s at %s, %s' % (self.kind, self.id, self.receiver, self.answer)


class Log:
    """What all receivers of a scene have seen, in the order of arrival."""

    def __init__(self):
        self.messages, self.faults = [], []
        self.changed = threading.Condition()

    def add(self, message):
        with self.changed:
            self.messages.append(message)
            self.changed.notify_all()

    def of(self, receiver, taken=True):
        """The messages of a receiver; all attempts, or those it has taken."""
        with self.changed:
            return [message for message in self.messages if message.receiver == receiver and (
                message.is_taken or not taken)]

    def kinds(self, receiver, event=None):
        return [message.kind for message in self.of(receiver) if event in (None, message.event)]

    def wait(self, condition, seconds):
        """Until a condition of this log holds; whether it does."""
        with self.changed:
            return self.changed.wait_for(lambda: condition(self), seconds)


class Answer:
    """What a receiver does with a message. A fault: `hang` says nothing, `lose` takes it and cuts the connection."""

    def __init__(self, status=200, fields=(), body=b'', fault=None):
        self.status, self.fields, self.body, self.fault = status, fields, body, fault

    @property
    def is_taken(self):
        return 200 <= self.status < 300

    def __repr__(self):
        return self.fault or str(self.status)


OK = Answer()


class Receiver(wire.Site):
    """An HTTP server on an address of this machine, of whose answers a function decides. It can be closed and opened
    again on the same port."""

    def __init__(self, name, log, answer=lambda message: OK, address='127.0.0.1'):
        super().__init__(name, None)
        self.log, self.answer, self.address = log, answer, address
        self.connections, self.server = 0, None

    @property
    def url(self):
        return 'http://%s:%d' % (self.address, self.port)

    async def start(self):
        self.server = await asyncio.start_server(self.serve, self.address, self.port, limit=1 << 20)
        self.port = self.server.sockets[0].getsockname()[1]

    async def close(self):
        self.server.close()

    async def serve(self, reader, writer):
        self.connections += 1
        try:
            while True:
                head = await reader.readuntil(b'\r\n\r\n')
                fields = [line.split(': ', 1) for line in head.decode('latin-1').split('\r\n')[1:-2]]
                headers = {field[0].lower(): field[-1] for field in fields}
                body = await reader.readexactly(int(headers.get('content-length', 0)))
                message = self.read(head, headers, body)
                message.answer = self.answer(message)
                self.log.add(message)
                if not await self.give(message.answer, reader, writer):
                    break
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def give(self, answer, reader, writer):
        if answer.fault == 'lose':
            return wire.reset(writer)
        if answer.fault == 'hang':
            # Until the other side gives up.
            await reader.read()
            return False
        return await wire.answer(writer, answer.status, answer.body, answer.fields)


class Sink(Receiver):
    """A webhook. Each request must be signed if there is a key; what is wrong with one is in the log's `faults`."""

    def __init__(self, name, log, answer=lambda message: OK, address='127.0.0.1', key=None):
        super().__init__(name, log, answer, address)
        self.key = key

    def read(self, head, headers, body):
        if self.key and Webhook:
            try:
                Webhook(self.key).verify(body, headers)
            except Exception as error:
                self.log.faults.append('%s: %s' % (self.name, error))
        try:
            document = json.loads(body)
            data = document.get('data', {})
        except ValueError as error:
            self.log.faults.append('%s: %s' % (self.name, error))
            document, data = {}, {}
        if len(body) > 20_000:
            self.log.faults.append('%s: %d bytes' % (self.name, len(body)))
        return Message(self.name, head, body, document.get('type', '').split('.')[-1],
                       data.get('event', {}).get('public_id'), headers.get('webhook-id'),
                       data.get('text', {}).get('title', ''), json=document)


class Ntfy(Receiver):
    """A server of ntfy, which knows one topic and one token."""

    def __init__(self, name, log, topic, token, answer=lambda message: OK, address='127.0.0.1'):
        super().__init__(name, log, answer, address)
        self.topic, self.token = topic, token

    def read(self, head, headers, body):
        document = json.loads(body)
        if document.pop('topic', None) != self.topic or headers.get('authorization') != 'Bearer ' + self.token:
            self.log.faults.append('%s: another topic or token' % self.name)
        if not {'title', 'message', 'priority'} <= set(document) or len(document['message'].encode()) > 3500:
            self.log.faults.append('%s: %s' % (self.name, sorted(document)))
        title, sequence = document.get('title', ''), document.get('sequence_id')
        kind = 'digest' if re.match(r'\d+ events', title) else kind_of(title)
        return Message(self.name, head, body, kind, sequence and sequence[2:], None, title, json=document)


class Mailbox:
    """A mail server. `refusals` are its replies to recipients that it does not take, `replies` those to mails, in turn;
    a reply None cuts the connection. With a certificate it wants STARTTLS, with a login that, too."""

    def __init__(self, name, log, address='127.0.0.1', context=None, login=None):
        self.name, self.log, self.address, self.context, self.login = name, log, address, context, login
        self.port, self.refusals, self.replies, self.greeted = 0, {}, collections.deque(), 0
        # Seconds until it answers a good-bye.
        self.parting = 0

    async def start(self):
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: SMTP(
            self, loop=loop, hostname='mail.test', tls_context=self.context, require_starttls=bool(self.context),
            auth_required=bool(self.login), authenticator=self.check), self.address, 0)
        self.port = server.sockets[0].getsockname()[1]

    def check(self, server, session, envelope, mechanism, data):
        is_right = (data.login.decode(), data.password.decode()) == self.login and session.ssl is not None
        if not is_right:
            self.log.faults.append('%s: a wrong login, or one in clear' % self.name)
        return AuthResult(success=is_right, handled=False)

    async def handle_EHLO(self, server, session, envelope, hostname, responses):
        self.greeted += 1
        session.host_name = hostname
        return responses

    async def handle_QUIT(self, server, session, envelope):
        await asyncio.sleep(self.parting)
        return '221 Bye'

    async def handle_RCPT(self, server, session, envelope, address, options):
        refusal = self.refusals.get(address)
        if refusal:
            return refusal
        envelope.rcpt_tos.append(address)
        return '250 OK'

    async def handle_DATA(self, server, session, envelope):
        if self.context and session.ssl is None:
            self.log.faults.append('%s: a mail in clear' % self.name)
        reply = self.replies.popleft() if self.replies else '250 OK'
        message = read_mail(self.name, envelope, self.log)
        message.answer = Answer(fault='lose') if reply is None else Answer(200 if reply[0] == '2' else 500)
        self.log.add(message)
        if reply is None:
            server.transport.abort()
        return reply or '250 OK'


def read_mail(receiver, envelope, log):
    """A mail by the strict rules of Python's parser; it must be for one recipient."""
    raw = envelope.original_content or envelope.content
    mail = email.message_from_bytes(raw, policy=email.policy.strict.clone(raise_on_defect=False))
    faults = [*mail.defects, *(defect for _, value in mail.items() for defect in value.defects)]
    if envelope.rcpt_tos != [str(mail['to'])]:
        faults.append('to %s, with the recipients %s' % (mail['to'], envelope.rcpt_tos))
    log.faults += ['%s: %s' % (receiver, fault) for fault in faults]
    return Message(receiver, raw.split(b'\r\n\r\n')[0], raw, str(mail['x-visiventd-kind']), None,
                   str(mail['message-id'])[1:].split('@')[0], str(mail['subject']), mail=mail)


class Trap(Receiver):
    """A place that nobody may come to."""

    def read(self, head, headers, body):
        self.log.faults.append('%s was asked' % self.name)
        return Message(self.name, head, body, 'trap', None, None, '')


# MARK: - Beyond loopback

def outer_host():
    """A name of this machine that is none of loopback, else its address, for which the daemon wants STARTTLS; None:
    there is neither."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Sends nothing; the address is of TEST-NET-1.
            probe.connect(('192.0.2.1', 9))
            address = probe.getsockname()[0]
        except OSError:
            address = None
    name = socket.gethostname().lower()
    try:
        socket.getaddrinfo(name, 25, socket.AF_INET)
        return None if name == 'localhost' else name
    except OSError:
        return address if address and not address.startswith('127.') else None


def certificate(run, host):
    """Makes a certificate for a host; the paths of its key and of itself."""
    key, path = os.path.join(run, 'mail.key'), os.path.join(run, 'mail.pem')
    kind = 'IP' if host.replace('.', '').isdigit() else 'DNS'
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=mail',
                    '-addext', 'subjectAltName=%s:%s' % (kind, host), '-keyout', key, '-out', path],
                   check=True, capture_output=True)
    return key, path
