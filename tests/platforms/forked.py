# SPDX-License-Identifier: Apache-2.0
"""Calls a Python command in a process forked from the test's: what the command imports is loaded once, not in every
call."""

import os
import pathlib
import runpy
import signal
import subprocess
import sys
import tempfile
import traceback


def load_matplotlib():
    """Before the first call, for commands that draw."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.backends.backend_agg  # noqa: F401
    import matplotlib.backends.backend_svg  # noqa: F401
    import matplotlib.pyplot  # noqa: F401


def call(main, words, cwd, environment, timeout):
    """`main(words)` in a separate process in the folder `cwd`: its exit status, output and errors. `environment` takes
    the place of os.environ. A call that takes longer than `timeout` seconds ends by SIGALRM."""
    with tempfile.TemporaryDirectory(prefix="tsuji-") as folder:
        texts = [pathlib.Path(folder, name) for name in ("stdout", "stderr")]
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            os._exit(play(main, [str(word) for word in words], cwd, environment, timeout, texts))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return subprocess.CompletedProcess(words, status, *(text.read_text(encoding="utf-8") for text in texts))


def run_script(path, words):
    """A script as the main program of this process, for call()."""
    sys.argv = [path, *words]
    sys.path.insert(0, str(pathlib.Path(path).parent))
    runpy.run_path(path, run_name="__main__")


def play(main, words, cwd, environment, timeout, texts):
    status = 1
    try:
        for number, path in enumerate(texts, 1):
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            os.dup2(file, number)
            os.close(file)
        signal.alarm(timeout)
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(environment)
        sys.dont_write_bytecode = True  # of modules in a test's own folder, which nobody loads again
        status = main(words)
    except SystemExit as end:
        status = end.code
    except BaseException:  # the test itself never continues here
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return status or 0
