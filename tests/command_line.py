"""
The command line, each command in a process of its own, without its four seconds of imports: a process that
has imported what every command of AllenNLP imports makes a copy of itself for each command. A copy ends as
soon as it has flushed its output: the interpreter would tidy up all those imports first, in two seconds.

The fixture `run_command` of conftest.py has one such process for all tests.

    python command_line.py    runs the commands that come as lines of JSON, and prints the exit status of each
"""

import atexit
import gc
import json
import os
import runpy
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager


@contextmanager
def command_line(python=sys.executable, environment=None):
    """
    A function that runs a command as `python -m MODULE ARGUMENT …` would in a folder. It returns what
    `subprocess.run` returns. The copies begin before this package is imported: only AllenNLP is.
    """
    environment = {**(os.environ if environment is None else environment), "OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryFile("w+") as errors:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": errors}
        process = subprocess.Popen([python, "-P", __file__], env=environment, text=True, **pipes)

        def run(module, *arguments, folder, input=""):
            words = [module, *map(str, arguments)]
            with tempfile.NamedTemporaryFile("r") as out, tempfile.NamedTemporaryFile("r") as err:
                request = {"words": words, "folder": str(folder), "input": input}
                request.update(out=out.name, err=err.name)
                print(json.dumps(request), file=process.stdin, flush=True)
                status = process.stdout.readline()
                if not status:
                    errors.seek(0)
                    raise RuntimeError(f"the process that runs commands has ended: {errors.read()[-3000:]}")
                return subprocess.CompletedProcess(words, int(status), out.read(), err.read())

        try:
            yield run
        finally:
            process.stdin.close()
            process.wait()


def serve():
    gc.disable()
    import allennlp.commands  # noqa: F401  what takes long

    # Copies need not search it for garbage.
    gc.freeze()
    gc.enable()
    for line in sys.stdin:
        request = json.loads(line)
        pid = os.fork()
        if pid == 0:
            return request
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
    return None


def become(words, folder, input, out, err):
    """As the interpreter with `python -m` in that folder, with input from a pipe and output in files."""
    reader, writer = os.pipe()
    os.write(writer, input.encode())
    os.close(writer)
    for source, descriptor in ((reader, 0), (os.open(out, os.O_RDWR), 1), (os.open(err, os.O_RDWR), 2)):
        os.dup2(source, descriptor)
    os.chdir(folder)
    sys.path.insert(0, folder)
    sys.argv = words
    runpy.run_module(words[0], run_name="__main__", alter_sys=True)


def exit_status(program):
    """The exit status of a program, when all but the interpreter's tidying up is done."""
    status = 0
    try:
        program()
    except SystemExit as stop:
        status = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        status = 1
        sys.excepthook(*sys.exc_info())
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return status


if __name__ == "__main__":
    request = serve()
    if request is not None:
        os._exit(exit_status(lambda: become(**request)))
