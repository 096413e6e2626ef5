"""What goes wrong, by the exit codes of the program."""


class HoneError(Exception):
    """Any of them; the message is the one line that the program would print."""

    exit_code = 5


class BadInput(HoneError):
    """The file, option or array is wrong; whoever calls can mend it."""

    exit_code = 3


class Unsupported(HoneError):
    """Well formed, but Hone or the device does not have it."""

    exit_code = 4


class Resource(HoneError):
    """No memory, no device, no permission, no room."""

    exit_code = 5
