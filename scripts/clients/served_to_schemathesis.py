#!/usr/bin/env python3
"""schemathesis on the OpenAPI document of `visiventd serve`, with all its checks:
served_to_schemathesis.py FOLDER PROGRAM

The stream has no end, so it is left out here; served_as_then.py and the service's own tests read it.
schemathesis_hooks.py leaves out requests whose values contradict each other.
"""
import os
import subprocess
import sys

from checks import RUN, check, same
from served import serving

COMMAND = os.path.join(os.path.dirname(sys.executable), 'schemathesis')


with serving() as running:
    @check('schemathesis: all checks on all operations, without a failure')
    def _():
        hooks = {'SCHEMATHESIS_HOOKS': 'schemathesis_hooks', 'PYTHONPATH': os.path.dirname(os.path.abspath(__file__))}
        done = subprocess.run(
            [COMMAND, 'run', running.url + '/api', '--checks', 'all', '--exclude-path', '/stream', '--workers', '2',
             '--max-examples', '20', '--seed', '1', '--max-time', '45', '--request-timeout', '10',
             '--continue-on-failure', '--no-color'],
            capture_output=True, text=True, timeout=70, cwd=RUN, env=os.environ | hooks)
        with open(RUN + '/schemathesis.txt', 'w', encoding='utf-8') as file:
            file.write(done.stdout + done.stderr)
        failures = [line for line in done.stdout.splitlines() if line.startswith(('- ', '  - '))]
        same(done.returncode, 0, ' '.join(failures)[:400] or done.stdout[-400:])
