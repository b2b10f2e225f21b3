"""The web server of `doublehold serve`. It answers only this machine, only GET and HEAD, and only
for paths below the folder of runs."""

import socketserver
import threading
import traceback
from functools import lru_cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote

from export import PLOTS
from folders import read_folder
from inventory import Inventory, Missing
from pages import render_page
from parsing import BadInput, shown
from run_list import list_page, message_page, progress_fragment, suite_page

HOST = "127.0.0.1"
LOCAL_NAMES = ("127.0.0.1", "localhost")
REPORTS_KEPT = 16  # pages in memory; one has some 100 kB, that of a long suite some MB
MOST_STREAMS = 32  # pages that watch a suite at once; each occupies a thread
IDLE_S = 30  # a connection that sends nothing for so long is closed
WATCH_EVERY_S = 1.0
FIRST_READING_S = 3600.0  # one hour: nobody waits for the first reading
# Pages have their styles and scripts in them, and load nothing. A page that a run folder contains
# is not trusted: its scripts cannot read the other pages.
POLICY = ("default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
          "img-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
          "frame-ancestors 'none'")
STORED_POLICY = f"{POLICY}; sandbox allow-scripts"


class Refused(Exception):
    """An answer that is no page: its status and a sentence."""

    def __init__(self, status: HTTPStatus, text: str) -> None:
        super().__init__(text)
        self.status = status


class Reports:
    """Makes the pages that `doublehold report` writes, and keeps the latest. A page is made again
    when a file of its folders has changed."""

    def __init__(self, inventory: Inventory) -> None:
        self._inventory = inventory
        # matplotlib is not thread-safe.
        self._drawing = threading.Lock()
        self._make = lru_cache(maxsize=REPORTS_KEPT)(_make)

    def page(self, folders: list[Path]) -> str:
        """Raises BadInput if a folder is damaged, or would show a file outside of the root."""
        with self._drawing:
            state = tuple(self._inventory.check_inside(folder) for folder in folders)
            return self._make(tuple(folders), state)


def _make(folders: tuple[Path, ...], state: tuple[Any, ...]) -> str:
    """`state`: of the folders' files, so that a page is kept for this state only."""
    PLOTS.start(wanted=False)
    return render_page([read_folder(folder) for folder in folders])


class Server(ThreadingHTTPServer):
    """Serves one folder of runs. `port` 0: a free port."""

    daemon_threads = True

    def __init__(self, runs: Path, port: int) -> None:
        self.inventory = Inventory(runs)
        self.reports = Reports(self.inventory)
        self.streams = threading.BoundedSemaphore(MOST_STREAMS)
        self.closing = threading.Event()
        super().__init__((HOST, port), Handler)
        # Reads the files of all runs before somebody asks for the list.
        threading.Thread(target=self.inventory.list, args=(FIRST_READING_S,), daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.server_address[1]}/"

    def server_bind(self) -> None:
        # HTTPServer also asks the name service for the name of the host, which may take seconds.
        socketserver.TCPServer.server_bind(self)

    def server_close(self) -> None:
        self.closing.set()
        super().server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Is silent if the reader closed the connection."""


def open_server(runs: Path, port: int) -> Server:
    """Raises BadInput if `runs` is no folder, OSError if the port cannot be bound."""
    if not runs.exists():
        raise BadInput(f"{shown(runs)}: no such folder; name the folder of runs")
    if not runs.is_dir():
        raise BadInput(f"{shown(runs)}: is not a folder")
    return Server(runs, port)


def is_local(host: str | None) -> bool:
    """Whether a Host header names this machine. A foreign web page whose name was made to lead here
    (DNS rebinding) sends its own name."""
    name, _, port = (host or "").partition(":")
    return name.lower() in LOCAL_NAMES and (not port or port.isdecimal())


class Handler(BaseHTTPRequestHandler):
    server: Server
    server_version, sys_version = "doublehold", ""
    timeout = IDLE_S

    def do_GET(self) -> None:
        try:
            if not is_local(self.headers.get("Host")):
                raise Refused(HTTPStatus.FORBIDDEN, f"The Host header names none of "
                                                    f"{', '.join(LOCAL_NAMES)}.")
            self._answer()
        except Refused as error:
            self._send(message_page(error.status.phrase, str(error)), error.status)
        except Missing as error:
            self._send(message_page("Not found", f"{error}: no such page, or not in the folder of "
                                                 "runs."), HTTPStatus.NOT_FOUND)
        except BadInput as error:
            text = str(error).replace(f"{self.server.inventory.root}/", "")
            self._send(message_page("Cannot be shown", text), HTTPStatus.UNPROCESSABLE_ENTITY)
        except (ConnectionError, TimeoutError):
            self.close_connection = True  # The reader is gone.
        except OSError as error:
            self._send(message_page("Cannot be shown", error.strerror or "cannot be read"),
                       HTTPStatus.UNPROCESSABLE_ENTITY)
        except Exception as error:  # a bug, which must not end the server
            traceback.print_exc()
            self._send(message_page("Internal error", f"{type(error).__name__}; the terminal of "
                                    "doublehold serve has details."),
                       HTTPStatus.INTERNAL_SERVER_ERROR)

    do_HEAD = do_GET

    def _answer(self) -> None:
        where, _, query = self.path.partition("?")
        area, _, quoted = where.removeprefix("/").partition("/")
        # Names may be any bytes.
        path = unquote(quoted, errors="surrogateescape")
        inventory = self.server.inventory
        if where == "/":
            self._send(list_page(inventory, query))
        elif area == "report":
            self._send(self.server.reports.page([inventory.resolve(path)]))
        elif area == "compare":
            self._send(self._compare(parse_qs(query, errors="surrogateescape").get("dir", [])))
        elif area == "suite":
            self._send(suite_page(inventory, path, query))
        elif area == "events":
            self._watch(path)
        elif area == "page":
            self._send(inventory.stored_page(path), policy=STORED_POLICY)
        else:
            raise Missing(unquote(where))

    def _compare(self, paths: list[str]) -> str:
        if len(paths) < 2:
            raise Refused(HTTPStatus.BAD_REQUEST, "Choose two or more runs or suites to compare.")
        return self.server.reports.page([self.server.inventory.resolve(path) for path in paths])

    def _watch(self, path: str) -> None:
        """Sends the progress of a suite when it changes, until the suite ends."""
        inventory = self.server.inventory
        pulse = inventory.pulse(path)  # before the fragment, so that no change is missed
        fragment, running = progress_fragment(inventory, path)
        if not self.server.streams.acquire(blocking=False):
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE,
                          f"{MOST_STREAMS} pages already watch a suite; close one and load this "
                          "page again.")
        try:
            self._begin(HTTPStatus.OK, "text/event-stream", POLICY)
            if self.command == "HEAD":
                return
            while running:
                self._send_event(fragment)
                while (now := inventory.pulse(path)) == pulse:
                    if self.server.closing.wait(WATCH_EVERY_S):
                        return
                    self.wfile.write(b":\n\n")  # a comment; fails if the reader is gone
                pulse = now
                fragment, running = progress_fragment(inventory, path)
            self._send_event(fragment)
            self.wfile.write(b"event: end\ndata: end\n\n")
        except (Missing, BadInput):
            return  # The folder was removed. The page says that it has no connection.
        finally:
            self.server.streams.release()

    def _send_event(self, fragment: str) -> None:
        lines = "".join(f"data: {line}\n" for line in fragment.splitlines())
        self.wfile.write(f"{lines}\n".encode("utf-8", errors="replace"))

    def _send(self, page: str, status: HTTPStatus = HTTPStatus.OK, policy: str = POLICY) -> None:
        body = page.encode("utf-8", errors="replace")
        self._begin(status, "text/html; charset=utf-8", policy, len(body))
        if self.command != "HEAD":
            self.wfile.write(body)

    def _begin(self, status: HTTPStatus, kind: str, policy: str, length: int | None = None) -> None:
        self.send_response(status)
        headers = {"Content-Type": kind, "Content-Security-Policy": policy,
                   "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
                   "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin"}
        if length is not None:
            headers["Content-Length"] = str(length)
        if status == HTTPStatus.METHOD_NOT_ALLOWED:
            headers["Allow"] = "GET, HEAD"
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answers a malformed request, or one with an unsupported method."""
        status = HTTPStatus(code)
        if status == HTTPStatus.NOT_IMPLEMENTED:
            status = HTTPStatus.METHOD_NOT_ALLOWED
        self.close_connection = True
        self._send(message_page(status.phrase), status)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Prints nothing: the terminal has the address, and errors."""
