#!/usr/bin/env python3
"""What people see on a terminal while a command works, and when they interrupt it.

Usage: check_terminal.py HONE
"""

import os
import pty
import signal
import subprocess
import sys
import tempfile

MODEL = "zoo:ds_cnn_kws"


class Terminal:
    """A command whose standard error is a terminal."""

    def __init__(self, command, folder):
        self.end, other = pty.openpty()
        self.shown = ""
        self.program = subprocess.Popen(command, stderr=other, stdout=subprocess.DEVNULL, cwd=folder)
        os.close(other)

    def read(self):
        """More of what is shown; False when there will be no more."""
        try:
            text = os.read(self.end, 4096).decode(errors="replace")
        except OSError:  # The other side is closed.
            return False
        self.shown += text
        return bool(text)

    def wait_for(self, text):
        while text not in self.shown:
            if not self.read():
                sys.exit(f"expected {text!r} on the terminal, found {self.shown!r}")

    def finish(self):
        while self.read():
            pass
        return self.program.wait()


def expect(right, what):
    if not right:
        sys.exit(what)


def check_interrupt(hone, folder, command, told):
    terminal = Terminal([hone, *command], folder)
    terminal.wait_for(" left")
    terminal.program.send_signal(signal.SIGINT)
    status = terminal.finish()
    last = terminal.shown.replace("\r", "").split("\x1b[K")[-1].strip()
    expect(status == -signal.SIGINT, f"ended with {status}, expected SIGINT, 130 to a shell")
    expect(last == told, f"expected {told!r} at the end, found {terminal.shown[-300:]!r}")


def check_progress(hone, folder):
    profile = ["profile", MODEL, "--no-roofs", "--threads", "1"]
    check_interrupt(hone, folder, [*profile, "-t", "3600", "--interval", "0", "-n", "1000000"],
                    "hone: interrupted; nothing was written")
    quiet = Terminal([hone, *profile, "-t", "0.5", "--quiet"], folder)
    expect(quiet.finish() == 0 and quiet.shown == "", f"--quiet shows {quiet.shown!r}")
    loud = Terminal([hone, *profile, "-t", "0.5"], folder)
    expect(loud.finish() == 0, "profile failed")
    expect("profile: measuring" in loud.shown, f"no progress in {loud.shown!r}")
    expect(loud.shown.endswith("\r\x1b[K"), f"the line stays: {loud.shown[-80:]!r}")


def main():
    hone = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        check_progress(hone, folder)
    print("ok")


if __name__ == "__main__":
    main()
