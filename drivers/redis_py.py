#!/usr/bin/env python3
"""redis-py's Lock, as it was released: --driver redis-py, or redis-py@4.5.5.

On first use pip installs that version into a cache of Doublehold's own, and nowhere else.
"""
import argparse, os, secrets, subprocess, sys, tempfile
from pathlib import Path

from template import Driver

PINNED = (Path(__file__).parent / "redis_py.txt").read_text().strip().removeprefix("redis==")


def installed(version: str) -> Path:
    """The folder where that version lies. Several processes may install it at once: one of them wins."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "doublehold"
    folder = cache / f"redis-py-{version}-python-{sys.version_info.major}.{sys.version_info.minor}"
    if folder.exists():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as fresh:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input",
               "--retries", "1", "--timeout", "15", "--target", f"{fresh}/packages", f"redis=={version}"]
        done = subprocess.run(pip, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            said = [line for line in done.stderr.splitlines() if "ERROR" in line] or done.stderr.splitlines() or ["pip failed"]
            sys.exit(f"redis-py {version} cannot be installed: {said[-1].strip()[:300]}")
        try:
            os.rename(f"{fresh}/packages", folder)
        except OSError:
            if not folder.exists():
                raise
    return folder


class Library:
    NAME, CAN = "redis-py", ["lease", "extend"]
    OPTIONS = {"sleep_ms": "100"}  # between two tries; the library's own

    def __init__(self, setup, options):
        self.redis = redis.Redis(setup["nodes"][0]["host"], setup["nodes"][0]["port"])
        self.sleep, self.locks = float(options["sleep_ms"]) / 1000, {}  # by grant

    def acquire(self, key, lease_ms, wait_ms):
        lock = self.redis.lock(key, timeout=lease_ms / 1000, sleep=self.sleep)
        if not lock.acquire(blocking=wait_ms > 0, blocking_timeout=wait_ms / 1000 if wait_ms > 0 else None):
            return None
        grant = secrets.token_hex(8)
        self.locks[grant] = lock
        return {"grant": grant}

    def extend(self, grant, lease_ms):
        return self.refused(lambda: self.locks[grant].extend(lease_ms / 1000, replace_ttl=True))

    def release(self, grant):
        return self.refused(lambda: self.locks.pop(grant).release())

    def refused(self, call):  # the library says so by an exception
        try:
            call()
            return {}
        except (redis.exceptions.LockError, KeyError):
            return None


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--version", default=PINNED)
    parser.add_argument("--install", action="store_true", help="do no more than that")
    asked = parser.parse_args()
    sys.path.insert(0, str(installed(asked.version)))
    if not asked.install:
        import redis

        Library.VERSION = redis.__version__
        Driver(Library).run()
