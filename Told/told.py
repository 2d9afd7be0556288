#!/usr/bin/env python3
"""Shows what targets are told: the real program polls a feed that changes, and tells real receivers, which answer well
and badly. What arrives there is judged.

    told.py --program PATH [--seed 1] [--rounds 20] [--storm 2000] [--idle SECONDS] [--keep] [CASE…]

  correction  M 5.4 → 5.5 → 5.3 → 5.8 → 4.6 → deleted by webhook, ntfy and mail; secrets are found nowhere
  outage      a target that is away gets one digest
  answers     410, 429, 400, 500, a redirect, no answer, a lost answer; watch test
  shared      a target at the host of the feed asks for a pause
  recipients  mail servers that refuse one recipient, or cut the connection
  hostile     titles with line breaks, control characters, a megabyte
  restored    a backup takes the place of the database
  latency     from a poll to the receiver
  storm       --storm events in a minute, with and without watches
  kills       kill -9 amid deliveries, --rounds times
  idle        with --idle: how the daemon rests with ten watches

The first eight run at the same time, since they mostly wait; the others one after the other. `brief` stands for those
that look at no speed: the first seven and kills. Nothing is asked for beyond this machine. The last line reads "N
passed, N failed, N skipped"; the exit status is 1 when a check has failed.
"""
import argparse
import concurrent.futures
import os
import shutil
import sys
import tempfile
import traceback

import scenes
# In the path since `scenes`.
import idle
import verdict

TOGETHER = {'correction': scenes.correction, 'outage': scenes.outage, 'answers': scenes.answers,
            'shared': scenes.shared, 'recipients': scenes.mail_fates,
            'hostile': scenes.hostile, 'restored': scenes.restored,
            'latency': scenes.latency}
ALONE = ('storm', 'kills', 'idle')


def idle_with_watches(scene, seconds):
    """The bars of an idle daemon, with ten watches on the shipped sources."""
    if not seconds:
        return
    plain = idle.configuration
    watches = ''.join('  - {name: w%d, minimum_magnitude: %d, deliver: [nobody]}\n' % (number, 8 + number % 2)
                      for number in range(10))
    # Nothing listens there, and nothing is sent.
    idle.configuration = lambda *arguments: plain(*arguments) + (
        'watches:\n%sdeliver:\n  - {name: nobody, kind: webhook, url: "http://127.0.0.1:9/"}\n' % watches)
    with idle.Fresh(scene.program, scene.run) as pid:
        rest = idle.measure(pid, seconds)
    idle.configuration = plain
    for name, figure, fault in idle.bars(rest):
        scene.check(name, [fault] if fault else [], figure)


def play(scene, act):
    """Plays a scene to its end; what stops it is a check that has failed."""
    try:
        act(scene)
        scene.end()
    except Exception as error:
        scene.check('it is played to its end', [repr(error), *traceback.format_exc().splitlines()[-4:-1]])
    return scene


def show(scene):
    for result in scene.results:
        verdict.check(*result)
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--program', required=True)
    parser.add_argument('--seed', default='1')
    parser.add_argument('--rounds', type=int, default=20)
    parser.add_argument('--storm', type=int, default=2000)
    parser.add_argument('--idle', type=float, default=0)
    parser.add_argument('--keep', action='store_true', help='keep databases, logs and configurations')
    parser.add_argument('cases', nargs='*', metavar='CASE')
    arguments = parser.parse_args()
    cases = arguments.cases or [*TOGETHER, *ALONE]
    if cases == ['brief']:
        cases = [case for case in (*TOGETHER, 'kills') if case != 'latency']
    unknown = [case for case in cases if case not in TOGETHER and case not in ALONE]
    if unknown:
        parser.exit(64, 'there is no case %s\n' % unknown[0])
    os.environ['no_proxy'] = '*'
    run = tempfile.mkdtemp(prefix='visiventd-told.')
    print('told: seed %s, in %s' % (arguments.seed, run), flush=True)
    alone = {'storm': lambda scene: scenes.storm(scene, arguments.storm),
             'kills': lambda scene: scenes.kills(scene, arguments.rounds),
             'idle': lambda scene: idle_with_watches(scene, arguments.idle)}

    def scene(name):
        return scenes.Scene(name, arguments.program, run, arguments.seed)

    with concurrent.futures.ThreadPoolExecutor(len(TOGETHER)) as threads:
        played = [threads.submit(play, scene(name), act) for name, act in TOGETHER.items() if name in cases]
        for ended in concurrent.futures.as_completed(played):
            show(ended.result())
    for name in (name for name in ALONE if name in cases):
        show(play(scene(name), alone[name]))
    failed = 'FAILED' in verdict.RESULTS
    if failed or arguments.keep:
        print('kept: ' + run)
    else:
        shutil.rmtree(run)
    print(verdict.closing_line(), flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
