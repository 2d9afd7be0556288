"""The scripted upstream of the scenes: a feed of earthquakes that a scene changes, and which knows what was taken."""
import json
import os
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'Soak'))
import wire

# 24 km from Lisboa.
NEAR = (-9.36, 38.60)


class Quakes(wire.Site):
    """A USGS feed. Its ETag is the number of its changes, so that a request which names it shows that it was taken. It
    takes messages, too, and answers the first one with a pause, if it has one."""

    def __init__(self, name='feed'):
        super().__init__(name, self.answer)
        self.features, self.version, self.taken, self.asked = {}, 0, -1, 0
        # When each change was first told.
        self.body, self.served = None, {}
        # Seconds of Retry-After, and when which method was asked.
        self.pause, self.times = None, {'GET': [], 'POST': []}
        self.changed = threading.Condition()

    def show(self, *tokens, magnitude=5.4, title=None, place='24 km W of Lisboa', status='automatic', position=NEAR,
             age=5):
        """Lists earthquakes, or others values for those that are listed; the number of the change."""
        now = time.time()
        with self.changed:
            for token in tokens:
                known = self.features.get(token, (None, now - age))
                properties = {
                    'mag': magnitude, 'place': place, 'time': int(known[1] * 1000), 'updated': int(now * 1000),
                    'status': status, 'tsunami': 0, 'net': 'us', 'code': token, 'ids': ',us%s,' % token,
                    'sources': ',us,', 'types': ',origin,', 'magType': 'mw', 'type': 'earthquake',
                    'title': title or 'M %s - %s' % (magnitude, place), 'url': 'https://example.org/' + token}
                self.features[token] = (json.dumps({
                    'type': 'Feature', 'properties': properties, 'id': 'us' + token,
                    'geometry': {'type': 'Point', 'coordinates': [*position, 10]}}), known[1])
            self.version, self.body = self.version + 1, None
            return self.version

    async def answer(self, _, request, writer):
        with self.changed:
            given = request.headers.get('if-none-match', '').strip('"')
            self.asked += 1
            self.times[request.method].append(request.at)
            pause, self.pause = self.pause, None if request.method == 'POST' else self.pause
            if given.isdigit():
                self.taken = max(self.taken, int(given))
            self.changed.notify_all()
            if self.body is None:
                self.body = ('{"type":"FeatureCollection","metadata":{"generated":%d,"status":200,"count":%d,"title":'
                             '"told"},"features":[%s]}' % (time.time() * 1000, len(self.features), ',\n'.join(
                                 feature for feature, _ in self.features.values()))).encode()
            body, version = self.body, str(self.version)
            self.served.setdefault(self.version, time.time())
        if request.method == 'POST':
            if pause:
                return await wire.answer(writer, 429, fields=[('Retry-After', '%d' % pause)])
            return await wire.answer(writer, 204)
        fields = [('ETag', '"%s"' % version), ('Content-Type', 'application/geo+json')]
        if given == version:
            return await wire.answer(writer, 304, fields=fields)
        return await wire.answer(writer, 200, body, fields)

    def wait_taken(self, version, seconds=60):
        """Until a change was stored by the daemon."""
        with self.changed:
            if not self.changed.wait_for(lambda: self.taken >= version, seconds):
                raise TimeoutError('change %d of the feed was not taken in %d s' % (version, seconds))

    def wait_posts(self, count, seconds=60):
        """Until so many messages have come."""
        with self.changed:
            if not self.changed.wait_for(lambda: len(self.times['POST']) >= count, seconds):
                raise TimeoutError('the feed was not sent %d messages in %d s' % (count, seconds))

    def wait_asked(self, seconds=60):
        """Until the next request."""
        with self.changed:
            before = self.asked
            if not self.changed.wait_for(lambda: self.asked > before, seconds):
                raise TimeoutError('the feed was not asked in %d s' % seconds)
