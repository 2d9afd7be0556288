"""The installed program of a scene: its configuration, its lives, its log and its database."""
import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import threading
import time

from feed import Quakes
# In the path since `feed`.
import series
import wire
from journal import seconds


class Daemon:
    """A daemon that polls a feed each second and tells targets. Leaving the block stops it and all receivers."""

    def __init__(self, program, run, receivers, watches, deliver, environment=None):
        self.program, self.run, self.feed = program, run, Quakes()
        self.path, self.database = os.path.join(run, 'told.yaml'), os.path.join(run, 'told.sqlite')
        self.environment = dict(os.environ, no_proxy='*', **environment or {})
        self.watches, self.deliver = watches, deliver
        self.process, self.lines, self.changed = None, [], threading.Condition()
        self.loop = wire.Loop([self.feed, *receivers])
        self.starts = 0

    def __enter__(self):
        self.loop.start()
        self.configure()
        # What is there before is not told.
        version = self.feed.show('0', magnitude=1, position=(140, 35))
        self.start()
        try:
            self.feed.wait_taken(version)
        except TimeoutError:
            self.kill()
            raise
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.stop()
        self.loop.stop()

    def on_loop(self, coroutine):
        """Runs a coroutine where the receivers run."""
        asyncio.run_coroutine_threadsafe(coroutine, self.loop.loop).result(30)

    def configure(self):
        """Writes the configuration. JSON is YAML, too. Watches and targets may be functions, since ports are known
        late."""
        lists = [value() if callable(value) else value for value in (self.watches, self.deliver)]
        text = ['database: ' + self.database, 'control_socket: %s/control.sock' % self.run,
                'log: {level: trace, format: json}', 'disk: {minimum_free: 16MiB}',
                'fetch: {per_host_gap: 500ms, total_timeout: 60s}', 'sources:',
                '  - {name: quakes, kind: usgs, url: "%s/{period}.geojson", period: all_hour, refresh_interval: 1s,'
                ' offset: 0s, max_age: 2d}' % self.feed.url]
        text += ['%s: %s' % (name, json.dumps(items)) for name, items in zip(('watches', 'deliver'), lists) if items]
        with open(self.path + '.new', 'w') as file:
            file.write('\n'.join(text) + '\n')
        os.replace(self.path + '.new', self.path)

    # MARK: - Lives

    def start(self):
        self.starts += 1
        self.process = subprocess.Popen([self.program, 'run', '--config', self.path], stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, env=self.environment)
        threading.Thread(target=self.follow, args=(self.process.stdout,), daemon=True).start()

    def follow(self, output):
        with open(os.path.join(self.run, 'log.json'), 'ab') as file:
            for line in output:
                file.write(line)
                try:
                    read = json.loads(line)
                except ValueError:
                    read = {'message': line.decode(errors='replace')}
                with self.changed:
                    self.lines.append(read)
                    self.changed.notify_all()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        if self.process.wait(30) != 0:
            raise RuntimeError('the daemon ended with %d' % self.process.returncode)

    def kill(self):
        self.process.kill()
        self.process.wait()

    # MARK: - What it says

    def said(self, message, **facts):
        """The lines with a message and facts."""
        with self.changed:
            return [line for line in self.lines if line['message'] == message and all(
                line.get(key) == value for key, value in facts.items())]

    def wait_line(self, message, seconds=30, count=1, **facts):
        with self.changed:
            if not self.changed.wait_for(lambda: len(self.said(message, **facts)) >= count, seconds):
                raise TimeoutError('no line "%s" %s in %d s' % (message, facts or '', seconds))
        return self.said(message, **facts)

    def command(self, *words):
        """A command that has ended, with its exit status and what it said."""
        return subprocess.run([self.program, *words, '--config', self.path], capture_output=True,
                              text=True, timeout=120, env=self.environment)

    def rows(self, sql, *values):
        connection = sqlite3.connect('file:%s?mode=ro' % self.database, uri=True, timeout=30)
        try:
            return connection.execute(sql, values).fetchall()
        finally:
            connection.close()

    def wait_rows(self, sql, condition, *values, patience=30):
        """Until the rows of a query meet a condition; whether they do. A database cannot be waited for, so it is asked
        again and again."""
        end = time.monotonic() + patience
        while not condition(self.rows(sql, *values)):
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True

    def poll_times(self):
        """When polls began and ended, by the log."""
        begun, found = None, []
        for line in [*self.lines]:
            if line['message'] == 'poll started':
                begun = seconds(line['time'])
            elif line['message'] == 'poll ended' and begun is not None:
                found.append((begun, seconds(line['time'])))
        return found

    def anonymous(self):
        return series.memory(self.process.pid)['Anonymous']

    def public_id(self, token):
        """The public id of an earthquake of the feed."""
        return self.rows('SELECT public_id FROM aliases_v1 WHERE upstream_id = ?', 'us' + token)[0][0]
