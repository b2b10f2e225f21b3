#!/usr/bin/python3
"""Converts run folders and suite folders to one self-contained HTML page.

    report.py DIR... [-o report.html] [--export FOLDER]
    report.py DIR --baseline DIR [-o report.html] [--export FOLDER]
    report.py DIR --svg FILE

A history file of a run (CSV, history.jsonl, history.bin) counts as a folder. Without -o the page is
DIR/report.html, FILE.html, or ./report.html for several folders. Prints the path of the
page, unless the page itself goes to stdout. Exit status: 0 written, 2 interrupted, 3 bad input, 4 a
package is missing or the disk is full.
"""

import argparse
import errno
import logging
import os
import sys
import tempfile
import time
from pathlib import Path

UNKNOWN, BAD_INPUT, ENVIRONMENT = 2, 3, 4
STDOUT, STDERR = 1, 2
OF_THE_MACHINE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EMFILE, errno.ENFILE}
PROGRAM = "doublehold report"
PACKAGES = {"matplotlib": "python3-matplotlib", "numpy": "python3-numpy",
            "jinja2": "python3-jinja2", "markupsafe": "python3-markupsafe"}


class Parser(argparse.ArgumentParser):
    """A command-line parser that reports errors in one line, as bad input."""

    arguments = "DIR... [-o report.html]"  # for the message

    def error(self, message: str) -> None:
        usage = f"usage: {self.prog} {self.arguments}"
        self.exit(BAD_INPUT, f"{self.prog}: {message} ({usage})\n")


def main(arguments: list[str]) -> int:
    parser = Parser(prog=PROGRAM, description="run and suite folders -> one HTML page")
    parser.add_argument("folders", metavar="DIR", nargs="+", type=Path,
                        help="a run folder, a suite folder, or the history of a run (CSV, "
                             "history.jsonl, history.bin); several are compared")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="the page to write")
    parser.add_argument("--baseline", metavar="DIR", type=Path,
                        help="an earlier run of the suite; the page shows which cells changed")
    parser.add_argument("--svg", metavar="FILE", type=Path,
                        help="write only the picture of the first violation of one run")
    parser.add_argument("--export", metavar="FOLDER", type=Path,
                        help="also write each plot as PNG, SVG and PDF, and each table as CSV")
    options = parser.parse_args(arguments)
    # Hides messages about matplotlib's font cache.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    try:
        from export import PLOTS, write_all
        from folders import read_folder
        from page import draw_picture
        from pages import render_page
        from parsing import BadInput
    except ModuleNotFoundError as error:
        return name_missing_package(PROGRAM, error)
    output = options.svg or options.output or default_page(options.folders)
    PLOTS.start(wanted=options.export is not None)
    try:
        inputs = [read_folder(folder) for folder in options.folders]
        baseline = read_folder(options.baseline) if options.baseline else None
        page = draw_picture(inputs) if options.svg else render_page(inputs, baseline)
    except BadInput as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return BAD_INPUT
    target = output
    try:
        is_stdout = is_open_as(output, STDOUT)
        write_whole(output, page)
        if options.export:
            target = options.export
            write_all(options.export, page)
    except KeyboardInterrupt:
        if target is not options.export:
            raise
        return interrupted(f"{output} was written, {target} is not complete")
    except OSError as error:
        print(f"{PROGRAM}: {target}: cannot be written ({error.strerror})", file=sys.stderr)
        return ENVIRONMENT if error.errno in OF_THE_MACHINE else BAD_INPUT
    if not is_stdout:
        print(output)
    return 0


def default_page(inputs: list[Path]) -> Path:
    if len(inputs) > 1:
        return Path("report.html")
    is_file = os.path.isfile(inputs[0])  # is_file() raises if the name is too long
    return inputs[0].with_name(inputs[0].name + ".html") if is_file else inputs[0] / "report.html"


def name_missing_package(program: str, error: ModuleNotFoundError) -> int:
    """Prints which package to install, and returns the exit status. Raises other errors again."""
    package = PACKAGES.get((error.name or "").split(".")[0])
    if package is None:
        raise error
    print(f"{program}: {sys.executable} has no '{error.name}': install the package {package}, "
          "or use Debian's python3", file=sys.stderr)
    return ENVIRONMENT


def write_whole(file: Path, text: str) -> None:
    """Replaces a regular file at once, so that a reader never sees half a page. Opens any other
    path, such as a device, a FIFO or a symbolic link, and writes into it."""
    if file.is_symlink() or file.exists() and not file.is_file():
        # A copy of the descriptor: what the program prints later follows the page.
        copies = (os.dup(stream) for stream in (STDOUT, STDERR) if is_open_as(file, stream))
        place = next(copies, None) or (open_fifo(file) if file.is_fifo() else file)
        with open(place, "w", encoding="utf-8") as out:
            out.write(text)
        return
    handle, temporary = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, file)
    except BaseException:
        os.unlink(temporary)
        raise


def open_fifo(file: Path) -> int:
    """Waits for a reader of the FIFO for two seconds. Without one, open() would block for ever."""
    end = time.monotonic() + 2
    while True:
        try:
            handle = os.open(file, os.O_WRONLY | os.O_NONBLOCK)
            os.set_blocking(handle, True)
            return handle
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            if time.monotonic() > end:
                raise OSError(errno.ENXIO, "nobody reads this FIFO", str(file)) from None
            time.sleep(0.02)


def is_open_as(file: Path, stream: int) -> bool:
    """Whether the program's stdout or stderr writes to this file, as /dev/stdout does."""
    try:
        return os.path.samestat(os.stat(file), os.fstat(stream))
    except OSError:
        return False


def interrupted(state: str = "no page was written") -> int:
    print(f"{PROGRAM}: interrupted; {state}", file=sys.stderr)
    return UNKNOWN


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        # Exits without waiting for the threads of libraries.
        sys.stderr.flush()
        os._exit(interrupted())
