#!/usr/bin/python3
"""Shows a folder of runs as local web pages.

    serve.py [RUNS] [--port PORT]        # also: doublehold serve

Answers only on 127.0.0.1, only GET and HEAD, and only for paths below the folder; writes no file.
Exit status: 0 stopped by Ctrl-C, 3 bad input, 4 a package is missing or the port is in use.
"""

import logging
import os
import signal
import sys
from pathlib import Path

from report import BAD_INPUT, ENVIRONMENT, Parser, name_missing_package

PROGRAM = "doublehold serve"
MOST_PORT = 65535


def main(arguments: list[str]) -> int:
    parser = Parser(prog=PROGRAM, description="shows a folder of runs as local web pages")
    parser.arguments = "[RUNS] [--port PORT]"
    parser.add_argument("runs", metavar="RUNS", nargs="?", type=Path, default=Path("runs"),
                        help="the folder of runs (default: runs)")
    parser.add_argument("--port", type=int, default=0,
                        help="the port on 127.0.0.1 (default: a free port)")
    options = parser.parse_args(arguments)
    if not 0 <= options.port <= MOST_PORT:
        parser.error(f"--port {options.port}: must be from 0 to {MOST_PORT}")
    # Hides messages about matplotlib's font cache.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    try:
        from parsing import BadInput, shown
        from web_server import open_server
    except ModuleNotFoundError as error:
        return name_missing_package(PROGRAM, error)
    try:
        server = open_server(options.runs, options.port)
    except BadInput as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return BAD_INPUT
    except OSError as error:
        print(f"{PROGRAM}: --port {options.port}: {error.strerror}; without --port, a free port is "
              "used", file=sys.stderr)
        return ENVIRONMENT
    print(f"serving {shown(options.runs)} at {server.address}", flush=True)
    server.serve_forever()
    return 0


def stop(*_: object) -> None:
    # Exits without waiting for the threads that answer, or for those of libraries.
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    # A shell that starts a program in the background ignores SIGINT for it. This does not.
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    sys.exit(main(sys.argv[1:]))
