"""The scenes: what targets are told of a feed that changes, and what they do with it.

Each is a function of a `Scene`, with a daemon and receivers of its own; it leaves its checks in the scene.
"""
import base64
import os
import random
import secrets
import ssl
import subprocess
import tempfile
import threading
import time
import unicodedata

from daemon import Daemon
from receivers import OK, SMTP, Answer, Log, Mailbox, Ntfy, Sink, Trap, Webhook, certificate, outer_host

PLACE = {'near': '38.72,-9.14', 'radius': 200, 'place': 'Lisboa'}
STRONG = {'sources': ['quakes'], 'categories': ['earthquake'], 'minimum_magnitude': 5}
# Beyond the two minutes between two messages on an event, in seconds.
GAP = 150
# Seconds in which what is wanted now arrives.
SOON = 30


class Scene:
    """A scene's folder, and the outcomes of its checks as `verdict.check` takes them."""

    def __init__(self, name, program, folder, seed):
        self.name, self.program, self.results = name, program, []
        self.run = tempfile.mkdtemp(prefix=name + '.', dir=folder)
        self.log, self.chance = Log(), random.Random('%s/%s' % (seed, name))

    def check(self, name, faults, detail=''):
        self.results.append(('%s: %s' % (self.name, name), faults, detail))

    def same(self, name, found, expected):
        self.check(name, [] if found == expected else ['%r in place of %r' % (found, expected)])

    def arrives(self, name, condition, seconds=SOON):
        """Waits for a condition of the log, which must hold in time; whether it does."""
        holds = self.log.wait(condition, seconds)
        if not holds:
            self.check(name, ['not within %d s; arrived: %s' % (seconds, self.log.messages[-10:])])
        return holds

    def daemon(self, receivers, watches, deliver, **options):
        return Daemon(self.program, self.run, receivers, watches, deliver, **options)

    def end(self):
        """The check that holds for each scene."""
        self.check('each message has its form and its signature' if Webhook else 'each message has its form',
                   self.log.faults, '%d messages' % len(self.log.messages))

    def secret(self, name, text):
        """The path of a file with a secret."""
        path = os.path.join(self.run, name)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), 'w') as file:
            file.write(text + '\n')
        return path


def signing_key():
    return 'whsec_' + base64.b64encode(secrets.token_bytes(32)).decode()


def webhook(sink, **more):
    return dict({'name': sink.name, 'kind': 'webhook', 'url': sink.url}, **more)


def mail(box, host, recipients, **more):
    return dict({'name': box.name, 'kind': 'mail', 'server': 'smtp://%s:%d' % (host, box.port),
                 'from': 'visiventd@example.org', 'to': recipients}, **more)


def band(number):
    """A place far from others, and the condition of a watch for it. There is none at 0,0, which is no place."""
    east = 10 * (number + 1)
    return {'position': (east, 0)}, {'box': '%d,-2,%d,2' % (east - 2, east + 2)}


def one_for_all(messages):
    """Faults of messages of which each event must have one; of mails, which do not name theirs, each id."""
    seen, faults = set(), []
    for message in messages:
        key = message.event or message.id
        if key in seen:
            faults.append('again: %r' % message)
        seen.add(key)
    return faults


def equal_bytes(messages):
    """Faults of messages with an id of earlier ones, but other bytes."""
    first = {}
    return ['other bytes: %r' % message for message in messages
            if first.setdefault((message.receiver, message.id), message.body) != message.body]


# MARK: - An earthquake that changes

def correction(scene):
    """M 5.4 → 5.5 → 5.3 → 5.8 → 4.6 → deleted: announced, updated, ended. Secrets are found nowhere."""
    log, host = scene.log, outer_host()
    key, other = signing_key(), signing_key()
    topic, token, password, path = (secrets.token_hex(32) for _ in range(4))
    cms = Sink('cms', log, key=key)
    phone = Ntfy('phone', log, topic, token)
    receivers, told = [cms, phone], ['cms', 'phone']
    desk = night = bare = None
    if SMTP:
        desk = Mailbox('desk', log)
        receivers.append(desk)
        told.append('desk')
    if SMTP and host:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        pair = certificate(scene.run, host)
        context.load_cert_chain(pair[1], pair[0])
        night = Mailbox('night', log, '0.0.0.0', context, ('visiventd', password))
        bare = Mailbox('bare', log, '0.0.0.0')
        receivers += [night, bare]
        told.append('night')

    def deliver():
        targets = [{'name': 'cms', 'kind': 'webhook', 'url_file': scene.secret('url', '%s/%s' % (cms.url, path)),
                    'signing_file': scene.secret('key', other + ' ' + key)},
                   {'name': 'phone', 'kind': 'ntfy', 'url': phone.url, 'topic_file': scene.secret('topic', topic),
                    'token_file': scene.secret('token', token)}]
        if desk:
            targets.append(mail(desk, '127.0.0.1', ['desk@example.org']))
        if night:
            login = {'user': 'visiventd', 'password_file': scene.secret('password', password)}
            targets.append(mail(night, host, ['night@example.org'], ca_file=pair[1], **login))
            targets.append(mail(bare, host, ['bare@example.org'], **login))
        return targets

    watches = [dict(STRONG, name='lisbon', deliver=told + (['bare'] if bare else []), **PLACE)]
    with scene.daemon(receivers, watches, deliver) as daemon:
        daemon.wait_line('watch begins', count=len(watches[0]['deliver']))

        def step(magnitude, status='automatic'):
            daemon.feed.wait_taken(daemon.feed.show('1', magnitude=magnitude, status=status))

        def all_have(count):
            return lambda log: all(len(log.of(name)) >= count for name in told)

        step(5.4)
        scene.arrives('the announcement comes', all_have(1))
        for magnitude in (5.5, 5.3, 5.8):
            step(magnitude)
        scene.arrives('the correction comes', all_have(2), GAP)
        step(4.6)
        scene.arrives('the end comes', all_have(3), GAP)
        step(4.6, 'deleted')
        # What would come of the deletion would come before this.
        daemon.feed.wait_taken(daemon.feed.show('2', magnitude=6.1))
        scene.arrives('another event comes', all_have(4))
        event, last = daemon.public_id('1'), daemon.public_id('2')
        for name in told:
            scene.same('%s is told of it three times' % name, [
                message.kind for message in log.of(name)], ['announced', 'updated', 'ended', 'announced'])
        for name in ('cms', 'phone'):
            scene.same('%s is told of the right event' % name, [
                message.event for message in log.of(name)], [event] * 3 + [last])
        told_at_cms(scene, log.of('cms'))
        scene.same('later messages take the place of the first at ntfy', {
            message.json.get('sequence_id') for message in log.of('phone')[:3]}, {'vd' + event})
        threads(scene, [box for box in (desk, night) if box])
        without_tls(scene, daemon, bare)
        found_nowhere(scene, daemon, [topic, token, password, path, key[6:], other[6:]])


def told_at_cms(scene, messages):
    if len(messages) < 3:
        return
    first, second, third = (message.json['data'] for message in messages[:3])
    scene.same('a correction says what changed from what', [
        (change['field'], change['from'], change['to']) for change in second['changes']], [('magnitude', 5.4, 5.8)])
    scene.same('messages on an event are numbered', [first['message'], second['message'], third['message']], [1, 2, 3])
    scene.same('later messages name the first', {second.get('first_id'), third.get('first_id')}, {first['id']})
    scene.same('the end has its reason and the present magnitude', (third['reason'], third['event']['magnitude']),
               ('no_longer_matches', 4.6))
    scene.same('ids differ', len({message.id for message in messages}), len(messages))
    scene.check('titles are for people', [
        title for title, beginning in zip((message.title for message in messages),
                                          ('M 5.4 · ', 'Correction: M 5.8 (was M 5.4) · ', 'No longer: M 4.6'))
        if not title.startswith(beginning) or 'Lisboa' not in title])


def threads(scene, boxes):
    if not boxes:
        return scene.check('mails', None, 'aiosmtpd is missing')
    for box in boxes:
        mails = [message.mail for message in scene.log.of(box.name)[:3]]
        if len(mails) == 3:
            first = str(mails[0]['message-id'])
            scene.same('%s: corrections thread' % box.name, [(m['references'], m['in-reply-to']) for m in mails], [
                (None, None), (first, first), (first, first)])
            scene.same('%s: each mail has an id of its own' % box.name, len({str(m['message-id']) for m in mails}), 3)


def without_tls(scene, daemon, bare):
    if not bare:
        return scene.check('STARTTLS', None, 'this machine has no name and no address beyond loopback')
    daemon.wait_line('target is failing', target='bare')
    scene.same('no mail goes to another machine in clear', scene.log.of('bare', taken=False), [])
    scene.check('the server without STARTTLS was asked', [] if bare.greeted else ['no'])


def found_nowhere(scene, daemon, hidden):
    """No secret is in what the program says or stores."""
    texts = {'log.json': '', 'told.sqlite': '', 'told.sqlite-wal': ''}
    for name in texts:
        with open(os.path.join(scene.run, name), 'rb') as file:
            texts[name] = file.read().decode('latin-1')
    for words in (['status'], ['status', '--json'], ['watches'], ['deliveries'], ['check'], ['health'],
                  ['health', '--prometheus'], ['watch', 'test', 'lisbon'], ['watch', 'replay', 'lisbon']):
        done = daemon.command(*words)
        texts['visiventd ' + ' '.join(words)] = done.stdout + done.stderr
        if done.returncode not in (0, 1, 2, 75):
            scene.check('visiventd ' + ' '.join(words), ['ended with %d: %s' % (done.returncode, done.stderr[-300:])])
    scene.check('secrets are found nowhere', [
        '%s has the secret %d' % (name, number) for name, text in texts.items()
        for number, secret in enumerate(hidden) if secret in text], '%d places' % len(texts))
    scene.check('a replay tells the same', [
        texts['visiventd watch replay lisbon'][-500:]] if '2 announced, 1 updated, 1 ended' not in texts[
            'visiventd watch replay lisbon'] else [])


# MARK: - Targets in trouble

def outage(scene):
    """A target of people is away while events come, change and go: then it gets one digest with what is so now."""
    log = scene.log
    cms, desk = Sink('cms', log), Sink('desk', log)
    watches = [dict(STRONG, name='lisbon', deliver=['cms', 'desk'], **PLACE)]
    with scene.daemon([cms, desk], watches, lambda: [
            webhook(cms), webhook(desk, digest_after=3)]) as daemon:
        feed = daemon.feed
        daemon.wait_line('watch begins', count=2)
        daemon.on_loop(desk.close())
        feed.wait_taken(feed.show(*'abcdefgh'))
        daemon.wait_line('target is failing', target='desk')
        feed.show('a', magnitude=5.9)
        feed.show('b', magnitude=6.3)
        feed.wait_taken(feed.show('c', status='deleted'))
        scene.arrives('the withdrawal comes to the other target', lambda log: 'ended' in log.kinds('cms'))
        daemon.on_loop(desk.start())
        # The waits until then are 5 s, 15 s and 60 s, and a fifth more.
        scene.arrives('the digest comes', lambda log: log.of('desk'), 200)
        ids = {token: daemon.public_id(token) for token in 'abcdefgh'}
        feed.wait_taken(feed.show('z'))
        scene.arrives('what comes later comes alone', lambda log: len(log.of('desk')) >= 2)
        feed.wait_taken(feed.show('d', magnitude=6.5))
        scene.arrives('a correction of what a digest told comes alone', lambda log: len(log.of('desk')) >= 3, GAP)
        scene.same('one digest, then single messages', log.kinds('desk'), ['digest', 'announced', 'updated'])
        if log.of('desk'):
            data = log.of('desk')[0].json['data']
            values = {event['public_id']: event['magnitude'] for event in data['events']}
            scene.same('the digest has what is so now', values, dict(
                {ids[token]: 5.4 for token in 'defgh'}, **{ids['a']: 5.9, ids['b']: 6.3}))
            scene.same('nothing is left out of it', (data['more'], data['expired']), (0, 0))
            scene.same('the largest comes first', data['events'][0]['public_id'], ids['b'])
        scene.same('the other target is told of each event', sorted(log.kinds('cms')),
                   ['announced'] * 9 + ['ended'] + ['updated'] * 3)
        scene.same('the log tells of the outage once', [len(daemon.said(words, target='desk')) for words in (
            'target is failing', 'target recovered')], [1, 1])


def answers(scene):
    """Targets that answer in all ways; each has a fate of its own."""
    log = scene.log

    def once(answer):
        """Gives an answer to the first request of a receiver, and takes the next ones."""
        return lambda message: OK if log.of(message.receiver, taken=False) else answer

    def refused(log):
        return [message for message in log.of('picky', taken=False) if message.answer.status == 400]

    trap, is_back = Trap('trap', log), threading.Event()
    sinks = {
        'plain': Sink('plain', log, lambda message: Answer(204)),
        'gone': Sink('gone', log, lambda message: OK if is_back.is_set() else Answer(410)),
        'busy': Sink('busy', log, once(Answer(429, [('Retry-After', '15')]))),
        'moved': Sink('moved', log, lambda message: Answer(307, [('Location', trap.url + '/')])),
        'error': Sink('error', log, once(Answer(500, body=b'no\r\nX-Injected: 1'))),
        'silent': Sink('silent', log, once(Answer(fault='hang'))),
        'lost': Sink('lost', log, once(Answer(fault='lose'))),
        'picky': Sink('picky', log, lambda message: Answer(400, body=b'not this') if (
            message.json['data'].get('event', {}).get('magnitude') == 6.6) else OK)}
    watches = [dict(STRONG, name='lisbon', deliver=list(sinks), **PLACE)]
    with scene.daemon([trap, *sinks.values()], watches, lambda: [
            webhook(sink, url=sink.url + ('/elsewhere' if is_back.is_set() and sink.name == 'gone' else '/'))
            for sink in sinks.values()]) as daemon:
        feed = daemon.feed
        daemon.wait_line('watch begins', count=len(sinks))
        feed.wait_taken(feed.show('1'))
        scene.arrives('the first event comes', lambda log: len(log.of('plain')) == 1)
        feed.wait_taken(feed.show('2', magnitude=6.6))
        scene.arrives('the second event comes', lambda log: len(log.of('plain')) == 2)
        for name in ('busy', 'error', 'silent', 'lost'):
            scene.arrives('%s is told of both in the end' % name, lambda log: len({
                message.event for message in log.of(name)}) == 2, GAP)
        scene.arrives('a message that is refused is tried three times', lambda log: len(refused(log)) == 3, 300)
        feed.wait_taken(feed.show('3', magnitude=5.1))
        scene.arrives('others pass by a message that is refused', lambda log: len(log.of('picky')) == 2)
        is_listed = daemon.wait_rows(
            "SELECT count(*) FROM deliveries_v1 WHERE target = 'picky' AND outcome = 'rejected'",
            lambda rows: rows[0][0] == 1)
        scene.check('it stands as rejected', [] if is_listed else ['no'])
        scene.same('it is not tried again', len(refused(log)), 3)
        waits(scene, log)
        scene.check('what was not answered comes again with the same bytes', equal_bytes(
            [message for name in ('error', 'silent', 'lost') for message in log.of(name, taken=False)]))
        for name in ('error', 'silent', 'lost'):
            attempts = log.of(name, taken=False)
            scene.same('%s gets the first message twice' % name, sum(
                message.id == attempts[0].id for message in attempts), 2)
        scene.same('who is gone is asked once', len(log.of('gone', taken=False)), 1)
        scene.same('who sends on is asked once', len(log.of('moved', taken=False)), 1)
        tried(scene, daemon, is_back)
        scene.same('nobody follows a redirect', trap.connections, 0)


def waits(scene, log):
    attempts = log.of('busy', taken=False)
    scene.check('Retry-After is obeyed', [] if len(attempts) > 1 and attempts[1].at - attempts[0].at >= 14.9 else [
        '%s' % [message.at for message in attempts]])
    for name, least in (('error', 48), ('silent', 20 + 48)):
        attempts = log.of(name, taken=False)
        scene.check('%s is left alone for a minute' % name, [] if len(attempts) > 1 and (
            attempts[1].at - attempts[0].at >= least) else ['%s' % [message.at for message in attempts]])


def tried(scene, daemon, is_back):
    """`watch test` says what each target answers."""
    log = scene.log
    for name, status, words in (('plain', 0, 'plain: sent (204'), ('moved', 75, 'refused'), ('gone', 75, 'gone')):
        done = daemon.command('watch', 'test', 'lisbon', '--target', name)
        found = done.stdout + done.stderr
        scene.check('watch test of %s' % name, [] if done.returncode == status and words in found else [
            'ended with %d: %s' % (done.returncode, found[-300:])])
    is_back.set()
    scene.same('watch test of who is back', daemon.command('watch', 'test', 'lisbon', '--target', 'gone').returncode, 0)
    # Another address; the daemon notices the edit.
    daemon.configure()
    scene.arrives('who is elsewhere is told what has waited', lambda log: log.kinds('gone').count('announced') == 3, 90)


def shared(scene):
    """A target at the host of a feed asks for a pause, which holds for polls, too."""
    daemon = scene.daemon([], [dict(STRONG, name='lisbon', deliver=['hook'], **PLACE)], lambda: [
        {'name': 'hook', 'kind': 'webhook', 'url': daemon.feed.url + '/hook'}])
    with daemon:
        daemon.wait_line('watch begins')
        daemon.feed.pause = 8
        daemon.feed.show('1')
        daemon.feed.wait_posts(2)
        first, second = daemon.feed.times['POST'][:2]
        scene.check('the message waits', [] if second - first >= 7.9 else ['%.1f s' % (second - first)])
        # One may have left already.
        polls = [time for time in daemon.feed.times['GET'] if first + 0.5 < time < first + 7.9]
        scene.check('polls wait, too', ['%.1f s later' % (time - first) for time in polls])
        before = len(daemon.feed.times['GET'])
        daemon.feed.wait_asked()
        scene.check('and go on', [] if len(daemon.feed.times['GET']) > before else ['no'])


def mail_fates(scene):
    """One recipient is refused, one later, one mail is cut off after its data, one server answers no good-bye: each has
    a fate of its own."""
    if not SMTP:
        return scene.check('recipients', None, 'aiosmtpd is missing')
    log = scene.log
    desk, other, rude = Mailbox('desk', log), Mailbox('other', log), Mailbox('rude', log)
    desk.refusals = {'nobody@example.org': '550 5.1.1 no such user', 'later@example.org': '451 4.3.0 try again'}
    other.replies.append(None)
    rude.parting = 3600
    watches = [dict(STRONG, name='lisbon', deliver=['rude', 'desk', 'other'], **PLACE)]
    with scene.daemon([desk, other, rude], watches, lambda: [
            mail(rude, '127.0.0.1', ['right@example.org']),
            mail(desk, '127.0.0.1', ['right@example.org', 'nobody@example.org', 'later@example.org']),
            mail(other, '127.0.0.1', ['right@example.org'])]) as daemon:
        daemon.wait_line('watch begins', count=5)
        daemon.feed.wait_taken(daemon.feed.show('1'))
        # Nobody waits for a recipient that is refused for now, nor long for a server that does not part.
        scene.arrives('the right recipient has it', lambda log: 'right@example.org' in recipients(log))
        desk.refusals.pop('later@example.org')
        scene.arrives('the later recipient has it later', lambda log: 'later@example.org' in recipients(log), 300)
        scene.arrives('a mail that was cut off comes again', lambda log: len(log.of('other')) == 2, GAP)
        scene.same('it has the same id', len({message.id for message in log.of('other', taken=False)}), 1)
        scene.check('and the same bytes', equal_bytes(log.of('other', taken=False)))
        scene.same('each recipient has one', sorted(recipients(log)), ['later@example.org', 'right@example.org'])


def recipients(log):
    return [str(message.mail['to']) for message in log.of('desk')]


# MARK: - Texts from outside

HOSTILE = [
    'plain', 'line\r\nBcc: evil@example.org', 'line\nX-Evil: 1\n\nbody', 'nul\x00byte', 'tab\tbell\x07escape\x1b[31m',
    '\u202Eright to left\u202C', '=?UTF-8?B?QmNjOiBldmlsQGV4YW1wbGUub3Jn?=', '<!channel> <@U1> & @here',
    '{link} {title}',
    '"quoted" \\ back\\slash', '\u2028line\u2029paragraph\x85', 'e' + '\u0301' * 500_000, 'x' * 1_000_000,
    ' '.join(['word'] * 200_000), '.', '..\r\n.\r\n', 'From me', '\uFEFFmark', '🌋' * 3000, 'ä' * 500, '=' * 300,
    '\r\n' * 1000 + 'late', 'a' * 66, 'a' * 67, 'é' * 38 + 'x', '%s %n %00', "'; DROP TABLE told; --"]


def hostile(scene):
    """Titles of all sorts: each message is one, with our headers alone."""
    log = scene.log
    key, topic, token = signing_key(), 'topic', 'token'
    cms, phone = Sink('cms', log, key=key), Ntfy('phone', log, topic, token)
    desk = Mailbox('desk', log) if SMTP else None
    receivers = [receiver for receiver in (cms, phone, desk) if receiver]
    letters = 'ab \r\n\x00\x1b\u202e\u0301:;<>{}="\\.é漢🌋'
    titles = HOSTILE + [''.join(scene.chance.choices(letters, k=scene.chance.randint(1, 400))) for _ in range(60)]
    # People get ten messages at once, so there are more of them.
    groups = range((len(titles) + 7) // 8)
    people = [receiver.name for receiver in receivers if receiver is not cms]
    watches = [dict(STRONG, name='w%d' % number, title='{title}', body='{title} {link}', deliver=['cms'] + [
        '%s%d' % (name, number) for name in people], **band(number)[1]) for number in groups]

    def deliver():
        files = {'topic_file': scene.secret('topic', topic), 'token_file': scene.secret('token', token)}
        targets = [webhook(cms, signing_file=scene.secret('key', key))]
        for number in groups:
            targets.append({
                'name': 'phone%d' % number, 'kind': 'ntfy', 'url': phone.url, 'digest_after': 1000, **files})
            if desk:
                targets.append(mail(desk, '127.0.0.1', ['desk@example.org'], name='desk%d' % number, digest_after=1000))
        return targets

    with scene.daemon(receivers, watches, deliver) as daemon:
        daemon.wait_line('watch begins', count=len(groups) * len(receivers))
        for number, title in enumerate(titles):
            version = daemon.feed.show('h%d' % number, title=title, **band(number // 8)[0])
        daemon.feed.wait_taken(version)
        count = daemon.rows('SELECT count(*) FROM events_v1 WHERE magnitude >= 5')[0][0]
        scene.check('most titles make events', [] if count > len(titles) * 0.9 else ['%d' % count], '%d' % count)
        for receiver in receivers:
            scene.arrives('%s is told of each' % receiver.name, lambda log: len(log.of(receiver.name)) >= count, 120)
            messages = log.of(receiver.name)
            scene.check('%s is told once' % receiver.name, one_for_all(messages))
            scene.check('%s gets the same headers each time' % receiver.name, [
                '%r: %s' % (message.title[:80], header_names(message)) for message in messages
                if header_names(message) != header_names(messages[0])])
            scene.check('titles at %s are one line of text' % receiver.name, [
                repr(message.title[:80]) for message in messages if len(message.title.encode()) > 820 or any(
                    unicodedata.category(letter) in ('Cc', 'Zl', 'Zp') or letter in '\u202a\u202b\u202d\u202e'
                    for letter in message.title)])
        # A message has the same id at all targets.
        words = {message.id: message.json['data']['text'] for message in log.of('cms')}
        for message in log.of('desk') if desk else ():
            for name, found in (('title', message.title), ('body', message.mail.get_content())):
                expected = words.get(message.id, {}).get(name, 'nothing')
                if ''.join(found.split()) != ''.join(expected.split()):
                    log.faults.append('%s of a mail: %r in place of %r' % (name, found[:80], expected[:80]))
        scene.check('nothing that is put in is read again', [] if any(
            text['title'].startswith('{link} {title}') for text in words.values()) else ['{link} is not there'])


def header_names(message):
    """The names of all headers, in their order; a mail has no line before them."""
    lines = message.head.split(b'\r\n')[0 if message.mail else 1:]
    return [line.split(b':')[0].decode('latin-1') for line in lines if line and line[:1] not in (b' ', b'\t')]


# MARK: - Databases that go back

def restored(scene):
    """A backup takes the place of the database: nothing that it knows as told is told again."""
    log = scene.log
    cms = Sink('cms', log)
    copy = os.path.join(scene.run, 'copy.sqlite')
    with scene.daemon([cms], [dict(STRONG, name='lisbon', deliver=['cms'], **PLACE)], lambda: [
            webhook(cms)]) as daemon:
        feed = daemon.feed
        daemon.wait_line('watch begins')
        feed.wait_taken(feed.show('1', '2', '3'))
        scene.arrives('three events come', lambda log: len(log.of('cms')) == 3)
        daemon.wait_rows("SELECT count(*) FROM deliveries_v1 WHERE outcome = 'sent'", lambda rows: rows[0][0] == 3)
        done = daemon.command('backup', copy)
        if done.returncode:
            return scene.check('a backup is made', [done.stderr[-300:]])
        daemon.stop()
        put_back(daemon, copy)
        feed.wait_taken(feed.show('4'))
        scene.arrives('a fourth event comes', lambda log: len(log.of('cms')) == 4)
        scene.check('after a backup is put back, nothing is told again', one_for_all(log.of('cms')))
        daemon.wait_rows("SELECT count(*) FROM deliveries_v1 WHERE outcome = 'sent'", lambda rows: rows[0][0] == 4)
        daemon.stop()
        put_back(daemon, copy)
        feed.wait_taken(feed.show('5'))
        scene.arrives('a fifth event comes', lambda log: len(set(told_events(log))) == 5)
        known = {daemon.public_id(token) for token in '123'}
        scene.check('what the backup knows as told is never told again', one_for_all(
            [message for message in log.of('cms') if message.event in known]))
        again = told_events(log).count(daemon.public_id('4'))
        scene.check('what came after the backup is told once more at most', [] if again <= 2 else ['%d times' % again],
                    '%d times in all' % again)
        for _ in range(5):
            daemon.command('reload')
            daemon.stop()
            daemon.start()
            daemon.feed.wait_asked()
        count = len(log.of('cms'))
        feed.wait_taken(feed.show('6'))
        scene.arrives('a sixth event comes', lambda log: len(set(told_events(log))) == 6)
        scene.same('starts and reloads tell nothing', len(log.of('cms')), count + 1)


def told_events(log):
    return [message.event for message in log.of('cms')]


def put_back(daemon, copy):
    for suffix in ('-wal', '-shm'):
        if os.path.exists(daemon.database + suffix):
            os.remove(daemon.database + suffix)
    subprocess.run(['cp', copy, daemon.database], check=True)
    daemon.start()


# MARK: - Figures

def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float('inf')


def latency(scene):
    """From the end of the poll that brings an event to the receiver."""
    log = scene.log
    cms = Sink('cms', log)
    with scene.daemon([cms], [dict(STRONG, name='lisbon', deliver=['cms'], **PLACE)], lambda: [
            webhook(cms)]) as daemon:
        daemon.wait_line('watch begins')
        versions = []
        # As many as a target gets in a minute.
        for number in range(60):
            versions.append(daemon.feed.show('l%d' % number))
            if not scene.arrives('each event comes', lambda log: len(log.of('cms')) > number):
                return
        daemon.feed.wait_taken(versions[-1])
        ends, delays = [end for _, end in daemon.poll_times()], []
        for version, message in zip(versions, log.of('cms')):
            # A commit is followed before the poll's line is written.
            delays.append(max(0, message.at - min(end for end in ends if end > daemon.feed.served[version])))
        worst = percentile(delays, 0.99)
        scene.check('from the end of a poll to the receiver', [] if worst < 1 else ['%.3f s' % worst],
                    'p99 %.0f ms of %d' % (worst * 1000, len(delays)))
        scene.check('each event comes once', one_for_all(log.of('cms')))


def storm(scene, events):
    """Thousands of matching events: people get a bucket and a digest, and polls go on as without."""
    seconds, figures = 60, {}
    for watched in (False, True):
        log = scene.log = Log()
        cms, phone = Sink('cms', log), Ntfy('phone', log, 'topic', 'token')
        watches = [dict(STRONG, name='lisbon', deliver=['cms', 'phone'], **PLACE)] if watched else []
        run, scene.run = scene.run, tempfile.mkdtemp(dir=scene.run)
        with scene.daemon([cms, phone], watches, lambda: [
                webhook(cms), {'name': 'phone', 'kind': 'ntfy', 'url': phone.url,
                               'topic_file': scene.secret('topic', 'topic'),
                               'token_file': scene.secret('token', 'token')}]) as daemon:
            if watched:
                daemon.wait_line('watch begins', count=2)
            began = time.monotonic()
            for second in range(seconds):
                tokens = ['s%d-%d' % (second, number) for number in range(events // seconds)]
                daemon.feed.wait_taken(daemon.feed.show(*tokens, magnitude=5 + second % 20 / 10))
            lasted = time.monotonic() - began
            polls = [end - start for start, end in daemon.poll_times()]
            figures[watched] = (percentile(polls, 0.99), daemon.anonymous())
            if watched:
                stored = daemon.rows('SELECT count(*) FROM events_v1 WHERE magnitude >= 5')[0][0]
                bounded(scene, log, lasted)
                for name in ('cms', 'phone'):
                    found = daemon.wait_rows('SELECT count(DISTINCT public_id) FROM deliveries_v1 WHERE target = ?',
                                             lambda rows: rows[0][0] == stored, name)
                    scene.check('each event is accounted for at %s' % name, [] if found else ['not all %d' % stored])
        scene.run = run
    (before, memory), (after, more) = figures[False], figures[True]
    scene.check('polls go on as without watches', [] if after <= max(before * 1.2, before + 0.01) else ['slower'],
                'p99 %.0f ms, without %.0f ms' % (after * 1000, before * 1000))
    scene.check('memory', [] if more - memory < 10e6 else ['more than 10 MB'], '%.1f MB, without %.1f MB' % (
        more / 1e6, memory / 1e6))


def bounded(scene, log, lasted):
    people, programs = log.kinds('phone'), log.kinds('cms')
    digests = 1 + int(lasted // 600)
    scene.check('people get a bucket and a digest', [] if people.count('digest') <= digests and len(
        people) <= 10 + lasted // 60 + 1 else [str(people)], '%d messages, %d digests' % (
            len(people), people.count('digest')))
    scene.check('programs get sixty a minute', [] if len(programs) <= 60 + lasted + 1 else ['%d in %.0f s' % (
        len(programs), lasted)], '%d in %.0f s' % (len(programs), lasted))
    scene.check('no event is told twice', one_for_all([message for message in log.of('cms') if message.event]))


# MARK: - Deaths

def kills(scene, rounds):
    """kill -9 again and again amid deliveries, five events a round: nothing is lost, what comes again is the same."""
    log, chance = scene.log, scene.chance
    reached, plan = threading.Event(), {'mode': None, 'left': 0}

    def answer(message):
        plan['left'] -= 1
        if plan['left'] == 0 and plan['mode'] is not None:
            # Before the answer leaves, or at some moment after it.
            if plan['mode'] == 'unanswered':
                daemon.process.kill()
            reached.set()
        return OK

    # A target gets sixty messages a minute, so there are ten at one receiver.
    cms, names = Sink('cms', log, answer), ['cms%d' % number for number in range(10)]
    watches = [dict(STRONG, name='w%d' % number, deliver=[name], **band(number)[1])
               for number, name in enumerate(names)]
    with scene.daemon([cms], watches, lambda: [webhook(cms, name=name) for name in names]) as daemon:
        daemon.wait_line('watch begins', count=len(names))
        for number in range(rounds):
            reached.clear()
            plan.update(mode=chance.choice((None, 'answered', 'unanswered')), left=chance.randint(1, 5))
            for event in range(5):
                daemon.feed.show('k%d-%d' % (number, event), **band((number * 5 + event) % len(names))[0])
            if daemon.process.poll() is not None:
                daemon.start()
            if plan['mode'] is None:
                daemon.feed.wait_asked()
                # A random moment of the poll and what follows it.
                time.sleep(chance.uniform(0, 0.4))
            else:
                reached.wait(5)
            daemon.kill()
        plan['mode'] = None
        daemon.start()
        daemon.feed.wait_taken(daemon.feed.show('last', **band(0)[0]))
        count = rounds * 5 + 1
        scene.arrives('each event is told', lambda log: len({message.event for message in log.messages}) == count, 600)
        messages = log.messages
        ids, again = {}, dict.fromkeys(names, 0)
        for message in messages:
            known = ids.setdefault(message.event, set())
            again[message.json['data']['target']] += message.id in known
            known.add(message.id)
        scene.check('to no target more messages come again than daemons died', [
            '%d to %s' % (number, name) for name, number in again.items() if number > rounds],
            '%d of %d came again in %d deaths, %d to one target' % (
                sum(again.values()), len(messages), rounds, max(again.values())))
        scene.check('each comes under one id', ['%s: %s' % item for item in ids.items() if len(item[1]) > 1])
        scene.check('what comes again has the same bytes', equal_bytes(messages))
        scene.same('each is an announcement', {message.kind for message in messages}, {'announced'})
        scene.same('the database is whole', daemon.rows('PRAGMA integrity_check'), [('ok',)])
