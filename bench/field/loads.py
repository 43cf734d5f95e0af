"""A program of the field trial: built, started with its load, and measured. programs/NAME describes it."""
import os, resource, shutil, signal, socket, subprocess, sys, threading, time

import places

here = os.path.dirname(os.path.abspath(__file__))
field = os.environ.get('PREPLAY_FIELD', '/tmp/preplay-field')
script = os.path.join(here, 'program')


def ask(*words):
    return subprocess.run([script, *words], stdout=subprocess.PIPE, text=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


class Load:
    """Puts the program's load on every start of the server, as long as the block lasts: a replay
    starts it anew, and wants the same clients."""

    def __init__(self, name, port):
        self.name, self.port, self.over, self.client = name, port, False, None
        self.needed = ask('has-client', name).returncode == 0

    def again(self):
        while not self.over:
            self.client = subprocess.Popen([script, 'client', self.name, str(self.port)], stdin=subprocess.DEVNULL,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            self.client.wait()

    def __enter__(self):
        if self.needed:
            self.thread = threading.Thread(target=self.again)
            self.thread.start()

    def __exit__(self, *_):
        self.over = True
        while self.needed and self.thread.is_alive():
            try:
                os.killpg(self.client.pid, signal.SIGKILL)
            except (ProcessLookupError, AttributeError):
                pass
            self.thread.join(0.1)


def timed(command, environment=None, limit=600, log=subprocess.DEVNULL):
    """Wall seconds and processor seconds; None for both if it took too long."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log,
                               env=environment, start_new_session=True)
    try:
        process.wait(limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return None, None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (time.monotonic() - start,
            after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


class Program:
    def __init__(self, name, build, compiler):
        self.name, self.base, self.compiler = name, build, compiler
        self.logs = os.path.join(field, 'logs', name)
        self.result = os.path.join(self.logs, 'result.json')
        self.port = free_port()

    def build(self, kinds=('plain', 'tsan', 'ours')):
        for kind in kinds:
            if ask('build', self.name, kind, self.base, self.compiler).returncode:
                print(f'{self.name}: left out ({kind} cannot be built; see {field}/built/{self.name})', file=sys.stderr)
                return False
        shutil.rmtree(self.logs, ignore_errors=True)
        os.makedirs(self.logs)
        os.chmod(self.logs, 0o777)  # a server that changes its user writes its reports there, too
        return True

    def command(self, kind):
        return ask('command', self.name, kind, str(self.port), self.base, self.compiler).stdout.split('\n')[:-1]

    def measured(self, kind, prefix=(), environment=None, runs=1, limit=600, log=None):
        best = (None, None)
        for _ in range(runs):
            with Load(self.name, self.port), open(os.path.join(self.logs, log or 'log'), 'a') as file:
                seconds = timed([*prefix, *self.command(kind)], environment, limit, file)
            if seconds[0] is not None and (best[0] is None or seconds[0] < best[0]):
                best = seconds
        return best

    def under_tsan(self, runs):
        options = f'log_path={self.logs}/tsan exitcode=0 history_size=7'
        spent = self.measured('tsan', environment=dict(os.environ, TSAN_OPTIONS=options), runs=runs)
        return spent, places.of_tsan(f'{self.logs}/tsan.*')

    def under_helgrind(self):
        spent = self.measured('plain', ['valgrind', '-q', '--tool=helgrind', '--history-level=full', '--fair-sched=yes',
                                        f'--log-file={self.logs}/helgrind.%p'], limit=900)
        return spent, places.of_helgrind(f'{self.logs}/helgrind.*')

    def recorded(self, directory):
        shutil.rmtree(directory, ignore_errors=True)
        return self.measured('ours', [os.path.join(self.base, 'preplay'), 'record', '-d', directory, '--'], log='record')

    def under_preplay(self, options):
        trace, report = os.path.join(self.logs, 'data'), os.path.join(self.logs, 'findings.json')
        shutil.rmtree(trace, ignore_errors=True)
        spent = self.measured('ours', [os.path.join(self.base, 'preplay'), 'run', '-d', trace, '--json', report,
                                       *options, '--'], limit=3600, log='preplay')
        size = sum(os.stat(os.path.join(path, name)).st_size
                   for path, _, names in os.walk(trace) for name in names if name.endswith('.pps'))
        return spent, size, places.of_preplay(report)
