#!/usr/bin/env python3
"""The bundled drivers: installs a library in a version, and becomes its driver.

    kept.py NAME [--version V | --path DIR] [--install | --missing]
    kept.py NAME --versions | --pinned
    kept.py --list

The language's package client (pip, npm, mvn, go, cargo) installs the library into a folder of the
user's cache, once for each version. `--path` takes the library from a folder instead, once for each
state of its files; only pip, npm and go can do that. A failure is one line, and exit status 4.
"""
import argparse, ctypes, fcntl, hashlib, json, os, re, shutil, signal, subprocess, sys, tempfile, tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "doublehold"
LONGEST_INSTALL_S = 600
# Output of npm and go that precedes the actual error message.
BY_THE_WAY = re.compile(r"npm (error|ERR!) (code|syscall|errno|404 +$)|go: (downloading|finding|upgraded|added|warning)|.* imports$")


class CannotInstall(Exception):
    pass


def need(program: str, package: str) -> str:
    found = shutil.which(program)
    if not found:
        raise CannotInstall(f"{program} is missing (on Debian: apt-get install {package})")
    return found


def tell(words, folder=None) -> str:
    """Runs a language's package client, and returns its output. On failure raises the shortest part
    of its output that explains the error."""
    client = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", start_new_session=True)
    try:
        printed, _ = client.communicate(timeout=LONGEST_INSTALL_S)
    except subprocess.TimeoutExpired:
        raise CannotInstall(f"{Path(words[0]).name} did not end within {LONGEST_INSTALL_S} s")
    finally:
        if client.poll() is None:  # timed out or interrupted: kills it with all its child processes
            os.killpg(client.pid, signal.SIGKILL)
            client.wait()
    if client.returncode != 0:
        said = [line.strip() for line in printed.splitlines() if line.strip() and not BY_THE_WAY.match(line)]
        wrong = [line for line in said if re.search(r"error|ERR!|not found|no matching|invalid", line, re.I)]
        line = (wrong or said or ["it failed"])[-1 if "pip" in words else 0]
        line = re.sub(r"^npm (error|ERR!) (notarget |404 )?", "", line)
        # mvn prints the subject of an error first, and its reason last.
        line = re.sub(r"^.* (?=Could not (find|transfer) artifact|\S+ was not found in)|\x1b\[\d*m| -> \[Help \d\]$", "", line)
        raise CannotInstall(line[:300])
    return printed


def order(version: str):
    """Sorts 2.9 before 2.10, and 5.0.0-beta.1 before 5.0.0."""
    numbers, rest = re.match(r"([\d.]*)(.*)", version).groups()
    whole = [int(number) for number in numbers.split(".") if number]
    while whole and whole[-1] == 0:  # 1.2 is 1.2.0
        whole.pop()
    is_early = bool(re.match(r"-|\.?(a|b|rc|dev|m|cr|alpha|beta)\d", rest, re.I))
    return whole, not is_early, [int(part) if part.isdigit() else 0 for part in re.split(r"\D+", rest)]


def released(versions) -> list[str]:
    """Returns the versions in order. Early ones count only if what they announce never came out."""
    final = [order(version)[0] for version in versions if order(version)[1]]
    return sorted((version for version in dict.fromkeys(versions) if order(version)[1] or order(version)[0] not in final), key=order)


@dataclass
class Pip:
    package: str
    runs_on, protocol = "python", None
    usual_s = 5

    def pinned(self, folder):
        return re.search(rf"^{self.package}==(\S+)", (folder / "requirements.txt").read_text(), re.M)[1]

    def install(self, source, version, into):
        pinned = (source / "requirements.txt").read_text()
        lines = re.sub(rf"^{self.package}==.*\n", "", pinned, flags=re.M)
        asked = f"{self.package}=={version}"
        if isinstance(version, Path):
            # Installs a copy, because pip writes into the folder. Pip refuses another package.
            copy = shutil.copytree(version, into / "source", symlinks=True)
            asked = f"{self.package} @ {copy.as_uri()}"
        try:
            self.install_lines(f"{asked}\n{lines}", into)
        except CannotInstall:
            if version == self.pinned(source):
                raise
            # Another version of the library may need other versions of the rest.
            self.install_lines(f"{asked}\n{re.sub('==.*', '', lines)}", into)

    def install_lines(self, lines, into):
        asked = into / "requirements.txt"
        asked.write_text(lines)
        tell([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--retries", "1",
              "--timeout", "15", "--target", str(into / "packages"), "-r", str(asked)])

    def versions(self):
        printed = tell([sys.executable, "-m", "pip", "index", "versions", "--disable-pip-version-check", self.package])
        return re.search(r"Available versions: (.*)", printed)[1].split(", ")

    def command(self, source, installed):
        return [sys.executable, str(source / "driver.py")], {"PYTHONPATH": f"{installed / 'packages'}:{HERE}"}


@dataclass
class Npm:
    package: str
    runs_on, protocol = "node", None
    usual_s = 5

    def pinned(self, folder):
        return json.loads((folder / "package.json").read_text())["dependencies"][self.package]

    def install(self, source, version, into):
        # A range could mean another version tomorrow, unnoticed by the cache.
        from_folder = isinstance(version, Path)
        if not from_folder and not re.match(r"\d+\.\d+\.\d+", version):
            raise CannotInstall("a version of npm has three numbers")
        npm = need("npm", "nodejs npm")
        package = json.loads((source / "package.json").read_text())
        package["dependencies"][self.package] = f"file:{version}" if from_folder else version
        (into / "package.json").write_text(json.dumps(package))
        tell([npm, "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--loglevel=error",
              "--install-links", "--fetch-retries=1"], folder=into)

    def versions(self):
        listed = json.loads(tell([need("npm", "nodejs npm"), "view", self.package, "versions", "--json", "--loglevel=error"]))
        return listed if isinstance(listed, list) else [listed]

    def command(self, source, installed):
        return [need("node", "nodejs"), str(source / "driver.js")], {"NODE_PATH": f"{installed / 'node_modules'}:{HERE}"}


@dataclass
class Go:
    package: str
    runs_on, protocol = "go", "protocol.go"
    usual_s = 30

    def pinned(self, folder):
        return re.search(rf"{re.escape(self.package)} v(\S+)", (folder / "go.mod").read_text())[1]

    def install(self, source, version, into):
        go = need("go", "golang-go")
        for file in (*source.glob("*.go"), source / "go.mod", source / "go.sum", HERE / self.protocol):
            shutil.copy(file, into)
        if isinstance(version, Path):
            tell([go, "mod", "edit", f"-replace={self.package}={version}"], folder=into)
            tell([go, "mod", "tidy"], folder=into)
        elif version != self.pinned(source):
            tell([go, "get", f"{self.package}@v{version}"], folder=into)
            tell([go, "mod", "tidy"], folder=into)
            # `go build` replaces a version that lacks a package by one that has it.
            if self.pinned(into) != version:
                raise CannotInstall(f"the driver does not compile with that version: go takes {self.pinned(into)} in its place")
        try:
            tell([go, "build", "-o", "driver", "."], folder=into)
        except CannotInstall as why:
            raise CannotInstall(f"the driver does not compile with that version: {why}")

    def versions(self):
        with tempfile.TemporaryDirectory() as empty:  # a module here would say which versions may be used
            listed = tell([need("go", "golang-go"), "list", "-m", "-versions", self.package], folder=empty)
        return [word[1:] for word in listed.split()[1:]]

    def command(self, source, installed):
        return [str(installed / "driver")], {}


@dataclass
class Maven:
    package: str
    runs_on, protocol = "java", "Protocol.java"
    usual_s = 30

    def pinned(self, folder):
        return re.search(r"<library\.version>(.+?)</library\.version>", (folder / "pom.xml").read_text())[1]

    def install(self, source, version, into):
        maven, javac = need("mvn", "maven"), need("javac", "default-jdk-headless")
        tell([maven, "--batch-mode", "--quiet", "--update-snapshots", "-f", str(source / "pom.xml"), f"-Dlibrary.version={version}",
              "org.apache.maven.plugins:maven-dependency-plugin:copy-dependencies", f"-DoutputDirectory={into / 'lib'}", "-DincludeScope=runtime"])
        sources = [str(file) for file in (*source.glob("*.java"), HERE / self.protocol)]
        try:
            tell([javac, "-nowarn", "-cp", f"{into / 'lib'}/*", "-d", str(into / "classes"), *sources])
        except CannotInstall as why:
            raise CannotInstall(f"the driver does not compile with that version: {why}")

    def versions(self):
        group, artifact = self.package.split(":")
        tell([need("mvn", "maven"), "--batch-mode", "--quiet", "--update-snapshots",
              "org.apache.maven.plugins:maven-dependency-plugin:get", f"-Dartifact={self.package}:LATEST", "-Dtransitive=false"])
        folder = Path.home() / ".m2" / "repository" / group.replace(".", "/") / artifact
        return [version for file in folder.glob("maven-metadata-*.xml") for version in re.findall(r"<version>(.+?)<", file.read_text())]

    def command(self, source, installed):
        # Small and quick to start: a run starts one for each client.
        return [need("java", "default-jre-headless"), "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
                "-cp", f"{installed / 'classes'}:{installed / 'lib'}/*", "Driver"], {}


@dataclass
class Debian:
    """The system's own packages: a version cannot be chosen, and nothing is installed. They are
    looked for at each start, because they may be removed."""
    package: str
    others: list[str]
    runs_on, protocol = "php", None
    usual_s = 0

    def pinned(self, folder):
        return versions_of([self.package]).get(self.package, "(absent)")

    def install(self, source, version, into):
        packages = [self.package, *self.others]
        found = versions_of(packages)
        if missing := [package for package in packages if package not in found]:
            install = f"apt-get install {' '.join(missing)}"
            raise CannotInstall(f"packages are missing (on Debian: {install})")
        if version != found[self.package]:
            here = found[self.package]
            raise CannotInstall(f"it is Debian's package {self.package}, which is {here} here")

    def versions(self):
        return [self.pinned(None)]

    def command(self, source, installed):
        return [need("php", "php-cli"), str(source / "driver.php")], {}


def versions_of(packages) -> dict[str, str]:
    """Returns the upstream versions of those packages that are installed."""
    if not shutil.which("dpkg-query"):
        return {}
    ask = ["dpkg-query", "-W", "-f", "${Status} ${Package} ${Version}\n", *packages]
    lines = subprocess.run(ask, capture_output=True, text=True).stdout
    return dict(re.findall(r"^install ok installed (\S+) (?:\d+:)?([\d.]+)", lines, re.M))


@dataclass
class Cargo:
    package: str
    runs_on, protocol = "rust", "protocol.rs"
    usual_s = 60

    def pinned(self, folder):
        return re.search(rf'^{self.package} = .*"=(.+?)"', (folder / "Cargo.toml").read_text(), re.M)[1]

    def install(self, source, version, into):
        cargo = need("cargo", "cargo-web")
        for file in (*source.glob("*.rs"), HERE / self.protocol):
            shutil.copy(file, into)
        lines = (source / "Cargo.toml").read_text()
        (into / "Cargo.toml").write_text(re.sub(rf'^({self.package} = .*"=).+?"', rf'\g<1>{version}"', lines, flags=re.M))
        try:
            tell([cargo, "build", "--quiet", "--target-dir", str(into / "target")], folder=into)
        except CannotInstall as why:
            raise CannotInstall(f"the driver does not compile with that version: {why}")
        shutil.move(into / "target" / "debug" / "driver", into)
        shutil.rmtree(into / "target")

    def versions(self):
        with tempfile.TemporaryDirectory() as empty:  # cargo looks a package up for a program that needs it
            (Path(empty) / "src").mkdir()
            (Path(empty) / "src/lib.rs").touch()
            (Path(empty) / "Cargo.toml").write_text(f'[package]\nname = "asks"\nversion = "0.1.0"\n[dependencies]\n{self.package} = "*"\n')
            tell([need("cargo", "cargo-web"), "generate-lockfile", "--quiet"], folder=empty)
        home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")  # cargo keeps there what it was told
        known = b"".join(file.read_bytes() for file in home.glob(f"registry/index/*/.cache/*/*/{self.package}"))
        return re.findall(r'"vers": ?"(.+?)"', known.decode(errors="replace"))

    def command(self, source, installed):
        return [str(installed / "driver")], {}


INSTALLERS = {"pip": Pip, "npm": Npm, "go": Go, "maven": Maven, "cargo": Cargo, "debian": Debian}
ABOUT = "driver.toml"  # in each driver's folder; the program's own list reads it too


def kept_driver(folder: Path):
    about = tomllib.loads((folder / ABOUT).read_text())
    others = [about["with"]] if "with" in about else []
    return INSTALLERS[about["install"]](about["package"], *others)


KEPT = {about.parent.name: kept_driver(about.parent) for about in sorted(HERE.glob(f"*/{ABOUT}"))}


def text_of(folder: Path, compiled_in: str | None) -> bytes:
    files = [file for file in sorted(folder.iterdir()) if file.is_file() and file.name != ABOUT] + ([HERE / compiled_in] if compiled_in else [])
    return b"".join(file.name.encode() + file.read_bytes() for file in files)


def folder_of(name: str, version: str) -> Path:
    """Returns the folder of that version in the cache. It exists if the version is installed."""
    kept, source = KEPT[name], HERE / name
    which = hashlib.sha256(text_of(source, kept.protocol)).hexdigest()[:8]
    runtime = f"python{sys.version_info.major}.{sys.version_info.minor}" if isinstance(kept, Pip) else kept.runs_on
    return CACHE / f"{name}-{version}-{runtime}-{which}"


def files_below(path: Path):
    """Yields the files of a library, without the folders of git, Python and npm."""
    for parent, folders, names in os.walk(path):
        folders[:] = sorted(set(folders) - {".git", "__pycache__", "node_modules"})
        yield from (Path(parent, name) for name in sorted(names))


def state_of(path: Path) -> str:
    """Returns a digest of the files' sizes and times. Reads no file: each client calls this."""
    seen = [(str(file), (at := file.lstat()).st_size, at.st_mtime_ns) for file in files_below(path)]
    return hashlib.sha256(repr(seen).encode()).hexdigest()[:8]


def version_of(path: Path) -> str:
    """Returns the word in the cache folder's name that takes the place of a version."""
    return f"path.{hashlib.sha256(str(path).encode()).hexdigest()[:8]}.{state_of(path)}"


def install_once(folder: Path, install) -> Path:
    """Returns the folder, complete. If it is missing, `install` fills a fresh one; if several
    processes ask at once, one of them does it."""
    if folder.exists():
        return folder
    CACHE.mkdir(parents=True, exist_ok=True)
    one_at_a_time = os.open(CACHE, os.O_RDONLY)
    try:
        fcntl.flock(one_at_a_time, fcntl.LOCK_EX)
        if folder.exists():
            return folder
        for killed in CACHE.glob("installing-*"):  # left over by processes that were killed
            shutil.rmtree(killed, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix="installing-", dir=CACHE) as fresh:
            made = Path(fresh) / "made"
            made.mkdir()
            install(made)
            made.rename(folder)
    finally:
        os.close(one_at_a_time)
    return folder


def installed(name: str, version: str | Path) -> Path:
    """Installs the library in a version, or from a folder, if the cache lacks it. Returns the
    library's folder in the cache."""
    kept, source = KEPT[name], HERE / name
    word = version_of(version) if isinstance(version, Path) else version
    folder = folder_of(name, word)
    if not kept.usual_s:
        kept.install(source, version, None)
        return folder
    is_new = not folder.exists()
    install_once(folder, lambda into: kept.install(source, version, into))
    if is_new and isinstance(version, Path):  # earlier states of the same path
        for old in CACHE.glob(f"{name}-{word.rpartition('.')[0]}.*"):
            if old != folder:
                shutil.rmtree(old, ignore_errors=True)
    return folder


def end_with_parent() -> None:
    """Ends with the process that waits for the library: if it is interrupted, nobody needs the
    library."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    parent = os.getppid()
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:
        sys.exit(128 + signal.SIGTERM)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=KEPT, nargs="?")
    parser.add_argument("--version")
    parser.add_argument("--path", type=Path, help="the folder with the library's source")
    parser.add_argument("--install", action="store_true", help="do no more than that")
    parser.add_argument("--missing", action="store_true",
                        help="what --install would install, and how long that takes; or nothing")
    parser.add_argument("--versions", action="store_true", help="all released versions, oldest first")
    parser.add_argument("--pinned", action="store_true", help="the version that is used without --version")
    parser.add_argument("--list", action="store_true", help="the names, each with the version that is pinned")
    asked = parser.parse_args()
    if asked.list:
        for name, kept in KEPT.items():
            print(name, kept.pinned(HERE / name))
        return
    if not asked.name:
        parser.error("of which library?")
    kept, source = KEPT[asked.name], HERE / asked.name
    version = asked.path.resolve() if asked.path else asked.version or kept.pinned(source)
    if asked.pinned:
        print(version)
        return
    if asked.versions:
        try:
            print("\n".join(released(kept.versions())))
        except (CannotInstall, OSError) as why:
            print(f"{asked.name}: its versions cannot be listed: {why}", file=sys.stderr)
            sys.exit(4)
        return
    if asked.missing:
        word = version_of(version) if asked.path else version
        if kept.usual_s and not folder_of(asked.name, word).exists():
            print(f"{asked.name} {version} ({kept.usual_s} s, once)")
        return
    if asked.install:
        end_with_parent()
    try:
        folder = installed(asked.name, version)
        if asked.install:
            return
        words, env = kept.command(source, folder)
    except (CannotInstall, OSError) as why:
        print(f"{asked.name} {version} cannot be installed: {why}", file=sys.stderr)
        sys.exit(4)
    os.execve(words[0], words, {**os.environ, **env})


if __name__ == "__main__":
    main()
