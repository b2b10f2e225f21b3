"""Opens the lines of history.jsonl. A run that keeps only history.bin is read through
`doublehold export`."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from parsing import BadInput

PROGRAM = "DOUBLEHOLD_PROGRAM"  # set by `doublehold report` to its own path
BUILT = Path(__file__).resolve().parent.parent / "build" / "doublehold"


@contextmanager
def open_lines(file: Path) -> Iterator[IO[bytes]]:
    """Yields the lines of history.jsonl, or of the history.bin beside it if `file` is missing."""
    binary = file.with_suffix(".bin")
    if file.exists() or not binary.exists():
        with file.open("rb") as lines:
            yield lines
        return
    program = find_program()
    with tempfile.TemporaryFile() as errors:
        try:
            export = subprocess.Popen([program, "export", str(binary), "--format", "jsonl"],
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=errors)
        except OSError:
            raise BadInput(f"{file}: no such file, and no doublehold program was found to read "
                           f"{binary.name}; use 'doublehold report'") from None
        with export:
            assert export.stdout is not None
            try:
                yield export.stdout
            except BadInput:
                export.stdout.close()
                if export.wait() > 0:  # negative: the closed pipe ended the program
                    errors.seek(0)
                    raise BadInput(errors.read().decode(errors="replace").strip()) from None
                raise
            finally:
                export.stdout.close()


def find_program() -> str:
    return os.environ.get(PROGRAM) or shutil.which("doublehold") or str(BUILT)


def run_program(arguments: list[str], most: int) -> bytes:
    """Returns the output of a command of doublehold. `most`: the highest exit status that is no
    failure."""
    try:
        ended = subprocess.run([find_program(), *arguments], stdin=subprocess.DEVNULL,
                               capture_output=True, check=False)
    except OSError as error:
        raise BadInput(f"no doublehold program was found ({error.strerror}); use 'doublehold "
                       "report'") from None
    if 0 <= ended.returncode <= most:
        return ended.stdout
    said = ended.stderr.decode(errors="replace").strip()
    raise BadInput(said.removeprefix(f"doublehold {arguments[0]}: "))
