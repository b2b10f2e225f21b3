"""Installs the Debian package in a fresh Debian, runs it there as an ordinary user, and removes it
without a trace. Needs root, mmdebstrap and packages of Debian; exits 77 without them.

    deb_test.py BUILD_FOLDER"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
RELEASE = "bookworm"
NOBODY = "65534:65534"


def run(*words: str | Path, **more) -> str:
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, **more).stdout


def make_root(root: Path, package: Path) -> bool:
    needs = re.sub(r"\([^)]*\)|\s", "", run("dpkg-deb", "--field", package, "Depends"))
    sources = [path for path in (Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("*"))
               if path.is_file() and path.suffix in (".list", ".sources") and f" {RELEASE} " in path.read_text()]
    return subprocess.run(["mmdebstrap", "--mode=root", "--variant=minbase", f"--include={needs}", "--quiet", RELEASE, root,
                           *sources[:1]], check=False).returncode == 0


def inside(root: Path, *words: str, user: str = "0:0") -> subprocess.CompletedProcess:
    script = f"mount -t proc proc {root}/proc && mount --rbind /dev {root}/dev && exec chroot --userspec={user} {root} \"$@\""
    return subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script, "sh", *words],
                          check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp", "LC_ALL": "C.UTF-8"})


def files(root: Path) -> set[str]:
    """All files but those in which dpkg keeps its books, and those of users."""
    found = {str(path.relative_to(root)) for path in root.rglob("*")}
    return {name for name in found if not name.startswith(("var/lib/dpkg", "var/log", "var/cache", "tmp/"))}


def main(build: Path) -> int:
    if os.geteuid() != 0 or shutil.which("mmdebstrap") is None:
        print("not tested: needs root and mmdebstrap")
        return SKIPPED
    with tempfile.TemporaryDirectory() as temporary:
        run("cpack", "-G", "DEB", "-B", temporary, cwd=build)
        (package,) = Path(temporary).glob("*.deb")
        root = Path(temporary) / "root"
        if not make_root(root, package):
            print("not tested: no packages of Debian")
            return SKIPPED
        before = files(root)
        shutil.copy(package, root / "tmp" / "doublehold.deb")
        installed = inside(root, "dpkg", "--install", "/tmp/doublehold.deb")
        assert installed.returncode == 0, installed.stdout
        for words in (["doublehold", "run", "--lock", "redlock", "--duration", "3s", "--into", "/tmp/run"],
                      ["doublehold", "report", "/tmp/run"],
                      ["doublehold", "suite", "npc", "--only", "none/calm", "--out", "/tmp/runs"]):
            done = inside(root, *words, user=NOBODY)
            print(done.stdout)
            assert done.returncode in (0, 2), f"{words}: {done.returncode}; 2 is a busy machine"
        assert (root / "tmp" / "run" / "report.html").stat().st_size > 10_000
        assert (root / "usr/share/man/man1/doublehold.1").read_text().startswith(".TH")
        as_root = inside(root, "doublehold", "report", "/tmp/run")
        assert as_root.returncode == 0, as_root.stdout
        removed = inside(root, "dpkg", "--purge", "doublehold")
        assert removed.returncode == 0 and "warning" not in removed.stdout, removed.stdout
        left = files(root) ^ before
        assert not left, f"the package leaves {sorted(left)[:10]}"
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
