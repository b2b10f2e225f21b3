"""Starts a private Docker engine for a test, and makes images from packages of Debian."""
from __future__ import annotations

import os
import shutil
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

RELEASE = "bookworm"
SKIPPED = 77
NEEDS = ("dockerd", "docker", "mmdebstrap")
# No rules of iptables: a process of the engine forwards published ports.
QUIET = ("--iptables=false", "--ip-masq=false", "--bridge=none")


def why_not() -> str:
    missing = [program for program in NEEDS if shutil.which(program) is None]
    if os.geteuid() != 0:
        return "needs root"
    return f"needs {' and '.join(missing)} (./setup.sh --batch)" if missing else ""


@contextmanager
def engine(folder: Path) -> Iterator[None]:
    """Starts an engine that keeps everything in `folder`, and lets `docker` use it."""
    words = ["dockerd", *QUIET, "--host", f"unix://{folder}/sock", "--data-root", folder / "data",
             "--exec-root", folder / "exec", "--pidfile", folder / "pid"]
    with open(folder / "engine.log", "wb") as log, subprocess.Popen(words, stdout=log, stderr=log) as daemon:
        os.environ.update(DOCKER_HOST=f"unix://{folder}/sock", DOCKER_BUILDKIT="0")
        try:
            while docker("version", check=False).returncode != 0:
                assert daemon.poll() is None, (folder / "engine.log").read_text()[-2000:]
                time.sleep(0.1)
            yield
        finally:
            del os.environ["DOCKER_HOST"]
            daemon.terminate()
            daemon.wait()
            for line in Path("/proc/self/mounts").read_text().splitlines():
                if line.split()[1].startswith(f"{folder}/"):  # of containers with network_mode: host
                    subprocess.run(["umount", line.split()[1]], check=True)


def docker(*words: str | Path, check: bool = True) -> subprocess.CompletedProcess:
    done = subprocess.run(["docker", *words], check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert not check or done.returncode == 0, f"docker {words}: {done.stdout}"
    return done


def make_image(tag: str, folder: Path, *packages: str) -> bool:
    """Makes an image of Debian with these packages, from this machine's sources of packages."""
    sources = [path for path in (Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("*"))
               if path.is_file() and path.suffix in (".list", ".sources") and f" {RELEASE} " in path.read_text()]
    tar = folder / "image.tar"
    include = [f"--include={','.join(packages)}"] if packages else []
    made = subprocess.run(["mmdebstrap", "--mode=root", "--variant=minbase", "--quiet", *include,
                           "--customize-hook=copy-in /etc/apt /etc", RELEASE, tar, *sources[:1]], check=False)
    if made.returncode == 0:
        docker("import", tar, tag)
        tar.unlink()
    return made.returncode == 0
