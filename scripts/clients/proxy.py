"""nginx before a running `visiventd serve`, which it offers below /quakes, as docs/operations.md says."""
import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import time

PREFIX = '/quakes'
NGINX = shutil.which('nginx', path=os.environ.get('PATH', '') + ':/usr/sbin')
# What becomes of the prefix: nginx passes it on, or takes it away and says so.
FATES = {'passed': ('', ''), 'taken': ('/', f'proxy_set_header X-Forwarded-Prefix {PREFIX};')}

CONFIGURATION = '''\
daemon off;
master_process off;
pid nginx.pid;
events {{}}
http {{
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    server {{
        listen 127.0.0.1:{port};
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-Proto $scheme;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        {field}
        proxy_buffering off;
        {login}
        location {prefix}/ {{
            proxy_pass http://{address}{slash};
        }}
        location / {{
            return 404;
        }}
    }}
}}
'''


def free_port():
    """A port that nobody listens at now; nginx does not tell one that the kernel has chosen for it."""
    with contextlib.closing(socket.create_server(('127.0.0.1', 0))) as server:
        return server.getsockname()[1]


def listens(port):
    with contextlib.closing(socket.socket()) as client:
        return client.connect_ex(('127.0.0.1', port)) == 0


@contextlib.contextmanager
def proxied(address, fate, login=None):
    """nginx before the service at an address, until the block ends; gives its own address. `login` is NAME:PASSWORD."""
    slash, field = FATES[fate]
    port = free_port()
    with tempfile.TemporaryDirectory(prefix='visiventd-nginx.') as folder:
        words = ''
        if login:
            name, password = login.split(':')
            words = f'auth_basic "quakes"; auth_basic_user_file {folder}/users;'
            with open(folder + '/users', 'w', encoding='utf-8') as file:
                file.write(f'{name}:{{PLAIN}}{password}\n')
        with open(folder + '/nginx.conf', 'w', encoding='utf-8') as file:
            file.write(CONFIGURATION.format(
                port=port, address=address, prefix=PREFIX, slash=slash, field=field, login=words))
        command = [NGINX, '-p', folder, '-c', 'nginx.conf', '-e', 'errors.log']
        with open(folder + '/said', 'w', encoding='utf-8') as said:
            process = subprocess.Popen(command, stdout=said, stderr=said)
        try:
            for _ in range(200):
                if listens(port):
                    break
                if process.poll() is not None:
                    with open(folder + '/errors.log', encoding='utf-8') as file:
                        raise AssertionError('nginx does not listen: ' + file.read())
                time.sleep(0.05)
            yield f'127.0.0.1:{port}'
        finally:
            process.terminate()
            process.wait(20)
