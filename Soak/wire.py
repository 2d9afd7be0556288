"""The wire of the scripted upstream: requests in, answers out, on one asyncio loop in a thread of its own."""
import asyncio
import gzip
import socket
import struct
import threading
import time
from email.utils import formatdate


class Request:
    def __init__(self, method, target, headers, body, reader):
        self.method, self.target, self.headers, self.body, self.reader = method, target, headers, body, reader
        self.path = target.split('?')[0]
        self.at = time.time()


class Site:
    """One host as the daemon sees it: an address with a port of its own."""

    def __init__(self, name, handler):
        self.name, self.handler, self.port = name, handler, 0

    @property
    def url(self):
        return 'http://127.0.0.1:%d' % self.port

    async def start(self):
        server = await asyncio.start_server(self.serve, '127.0.0.1', 0, limit=1 << 20)
        self.port = server.sockets[0].getsockname()[1]

    async def serve(self, reader, writer):
        try:
            while True:
                request = await read(reader)
                if request is None or not await self.handler(self, request, writer):
                    break
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError):
            pass
        finally:
            writer.close()


async def read(reader):
    """The next request of a connection; None at its end."""
    try:
        head = await reader.readuntil(b'\r\n\r\n')
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode('latin-1').split('\r\n')
    headers = {}
    for line in lines:
        name, _, value = line.partition(':')
        headers[name.strip().lower()] = value.strip()
    method, target, _ = first.split(' ', 2)
    body = await reader.readexactly(int(headers.get('content-length', 0)))
    return Request(method, target, headers, body, reader)


def head(status, fields=(), length=None, is_chunked=False):
    lines = ['HTTP/1.1 %d X' % status, 'Date: ' + formatdate(usegmt=True)]
    lines += ['%s: %s' % field for field in fields]
    if is_chunked:
        lines.append('Transfer-Encoding: chunked')
    elif length is not None:
        lines.append('Content-Length: %d' % length)
    return ('\r\n'.join(lines) + '\r\n\r\n').encode()


async def send(writer, data):
    writer.write(data)
    await writer.drain()


async def answer(writer, status, body=b'', fields=()):
    await send(writer, head(status, fields, None if status == 304 else len(body)) + body)
    return True


async def answer_chunked(writer, body, fields, chance):
    await send(writer, head(200, fields, is_chunked=True))
    while body:
        size = chance.randint(1, 20_000)
        await send(writer, chunk(body[:size]))
        body = body[size:]
    await send(writer, b'0\r\n\r\n')
    return True


async def answer_packed(writer, body, fields):
    return await answer(writer, 200, gzip.compress(body), [*fields, ('Content-Encoding', 'gzip')])


async def answer_slowly(writer, body, fields, seconds):
    await send(writer, head(200, fields, len(body)))
    step = max(1, len(body) // 8)
    while body:
        await asyncio.sleep(seconds / 8)
        await send(writer, body[:step])
        body = body[step:]
    return True


async def answer_partly(writer, body, fields, share):
    """Announces all and sends a part."""
    await send(writer, head(200, fields, len(body)) + body[:int(len(body) * share)])
    return False


def chunk(data):
    return b'%x\r\n%s\r\n' % (len(data), data)


def reset(writer):
    """Ends the connection by RST: what the other side has not read yet is gone."""
    writer.get_extra_info('socket').setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    writer.transport.abort()
    return False


class Loop:
    """The asyncio loop in its thread."""

    def __init__(self, sites):
        self.sites, self.loop = sites, asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.is_ready = threading.Event()

    def run(self):
        asyncio.set_event_loop(self.loop)
        for site in self.sites:
            self.loop.run_until_complete(site.start())
        self.is_ready.set()
        self.loop.run_forever()
        # What is open still is closed by its end.
        tasks = asyncio.all_tasks(self.loop)
        for task in tasks:
            task.cancel()
        self.loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self.loop.close()

    def start(self):
        self.thread.start()
        self.is_ready.wait()

    def stop(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
