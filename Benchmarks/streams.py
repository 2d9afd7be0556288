"""A thousand clients of /stream in one process: read.py runs `receive` beside the writer."""
import array
import re
import select
import signal
import socket
import time

MESSAGE = re.compile(rb'id: (\d+)\nevent: (\w+)\n')
# Longest part of a message's head that the next piece may complete.
HEAD = 64


def connect(port):
    """A client whose request is sent."""
    client = socket.create_connection(('127.0.0.1', port))
    client.sendall(b'GET /stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n')
    client.setblocking(False)
    return client


def receive(port, count, pipe):
    """Opens `count` streams and sends 'open' when each has its first bytes. Reads until told the number of the last
    change, and on until all have that or 10 s are over; then sends numbers and times of receipt, client by client, and
    closes them when told again."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    clients = {client.fileno(): client for client in (connect(port) for _ in range(count))}
    rest = dict.fromkeys(clients, b'')
    numbers = {descriptor: array.array('q') for descriptor in clients}
    times = {descriptor: array.array('d') for descriptor in clients}
    poll = select.epoll()
    for descriptor in clients:
        poll.register(descriptor, select.EPOLLIN)
    silent, faults, last, deadline = set(clients), [], None, None
    poll.register(pipe.fileno(), select.EPOLLIN)
    while not faults:
        for descriptor, _ in poll.poll(0.2):
            if descriptor == pipe.fileno():
                last, deadline = pipe.recv(), time.monotonic() + 10
                continue
            piece = clients[descriptor].recv(1 << 18)
            at = time.time()
            if not piece:
                faults.append('a stream was closed')
                break
            if descriptor in silent:
                if not piece.startswith(b'HTTP/1.1 200'):
                    faults.append(piece.split(b'\r\n')[0].decode('latin-1'))
                    break
                silent.discard(descriptor)
                if not silent:
                    pipe.send('open')
            data, end = rest[descriptor] + piece, 0
            for message in MESSAGE.finditer(data):
                end = message.end()
                if message[2] == b'change':
                    numbers[descriptor].append(int(message[1]))
                    times[descriptor].append(at)
                else:
                    faults.append('event ' + message[2].decode())
            rest[descriptor] = data[max(end, len(data) - HEAD):]
        if last is not None:
            has_all = all(got and got[-1] >= last for got in numbers.values())
            if has_all or time.monotonic() > deadline:
                break
    pipe.send((faults, [(numbers[descriptor], times[descriptor]) for descriptor in clients]))
    if not faults:
        pipe.recv()
    for client in clients.values():
        client.close()
