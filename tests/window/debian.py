"""Debian's Blender with everything it needs for a window, unpacked into a folder of its own.

The package manager downloads the packages and verifies their signatures; nothing is installed on this machine. Blender
runs in that folder by chroot, in a mount namespace that ends with it: as root, or as a user who may make namespaces.
"""

from __future__ import annotations

import fcntl
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

FORMAT = "3"  # another one means that older folders must be made again
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
DEFAULT_MIRROR = "http://deb.debian.org/debian"
PACKAGES = (
    "blender", "xvfb", "xdotool", "x11-xkb-utils", "xkb-data", "libgl1-mesa-dri", "libegl-mesa0", "libglx-mesa0",
    "fonts-dejavu-core", "ca-certificates", "python3", "python3-numpy", "python3-requests", "python3-zstandard",
    "python3-cattr", "python3-pil", "base-files", "dash", "coreutils", "libc-bin",
)  # fmt: skip
NOT_UNPACKED = ("./usr/share/doc/*", "./usr/share/man/*", "./usr/share/info/*", "./usr/share/locale/[!djl]*", "./dev/*")
EMPTY_FOLDERS = ("proc", "dev", "sys", "tmp", "run", "home/blender")
HOME = "/home/blender"
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin", "HOME": HOME, "USER": "root", "LANG": "C.UTF-8", "XDG_RUNTIME_DIR": "/tmp",
    "PYTHONUNBUFFERED": "1", "LIBGL_ALWAYS_SOFTWARE": "1",
}  # fmt: skip
APT_SETTINGS = """
Dir::State "{folder}";
Dir::State::status "{folder}/status";
Dir::Cache "{folder}/cache";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "{folder}/sources";
APT::Architecture "amd64";
APT::Architectures {{ "amd64"; }};
APT::Install-Recommends "false";
APT::Sandbox::User "";
Acquire::Languages "none";
Acquire::Retries "3";
Acquire::Check-Valid-Until "false";
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Post-Invoke;
"""
SOURCE = "Types: deb\nURIs: {mirror}\nSuites: {suite}\nComponents: main\nSigned-By: {keyring}\n"
# Runs in a mount namespace of its own: root, home, then the folders that are to be seen, then "--" and the command.
ENTER = """
set -e
root=$1 home=$2; shift 2
mount --make-rprivate / 2>/dev/null || true
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/tmp"
chmod 1777 "$root/tmp"
mkdir "$root/tmp/.X11-unix"
chmod 1777 "$root/tmp/.X11-unix"
while [ "$1" != -- ]; do
  mkdir -p "$root$1"
  mount --rbind "$1" "$root$1"
  shift
done
shift
mount --rbind "$home" "$root/home/blender"
exec chroot "$root" "$@"
"""


class SetupError(Exception):
    """Blender cannot be had on this machine; the message says why."""


@dataclass(frozen=True)
class DebianBlender:
    """One unpacked Blender.

    Attributes:
        root: the folder that Blender sees as "/".
        version: what Blender says about itself, as "4.3.2".
    """

    root: Path
    version: str

    def command(self, home: Path, folders: list[Path], command: list[str]) -> list[str]:
        """The command that runs `command` inside.

        Args:
            home: the home folder it gets.
            folders: folders of this machine that are seen inside under the same path.
            command: program and arguments, paths as seen inside.
        """
        home.mkdir(parents=True, exist_ok=True)
        variables = [f"{name}={value}" for name, value in ENVIRONMENT.items()]
        inside = ["/usr/bin/env", "-i", *variables, *command]
        seen = [str(folder.resolve()) for folder in folders]
        enter = ["sh", "-c", ENTER, "window-test", str(self.root), str(home.resolve()), *seen, "--", *inside]
        return ["unshare", *_namespace(), *enter]


SUITES = {"4.3": "trixie", "5.2": "sid"}  # Debian 13; what will be Debian 14, which moves on


def cache_folder() -> Path:
    """Where the unpacked Blenders lie; MESHCLASH_WINDOW_DIR names another place."""
    named = os.environ.get("MESHCLASH_WINDOW_DIR")
    root = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return Path(named) if named else root / "meshclash-window"


def blender(wanted: str) -> DebianBlender:
    """Debian's Blender `wanted` ("4.3" or "5.2"), fetched when it is not there yet: about 350 MB, a minute.

    Raises:
        SetupError: it cannot be fetched or does not start.
    """
    folder = cache_folder() / SUITES[wanted]
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder / "lock"):
        root = folder / "root"
        if _stamp(root, "format") != FORMAT:
            _make(SUITES[wanted], folder)
        return DebianBlender(root, _stamp(root, "version"))


def _stamp(root: Path, name: str) -> str:
    path = root / f".window-{name}"
    return path.read_text("utf-8").strip() if path.exists() else ""


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _make(suite: str, folder: Path) -> None:
    if platform.machine() != "x86_64" or not all(map(shutil.which, ("apt-get", "dpkg-deb", "unshare"))):
        raise SetupError("Debian's Blender needs Linux on x86-64 with apt-get, dpkg-deb and unshare; or give --blender")
    if not KEYRING.exists():
        raise SetupError(f"{KEYRING} is missing: install debian-archive-keyring, or give --blender")
    new = folder / "new"
    shutil.rmtree(new, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        print(f"fetching Blender from Debian {suite} (about 350 MB, kept in {folder})", flush=True)
        packages = _download(suite, Path(temporary))
        print(f"unpacking {len(packages)} packages", flush=True)
        _unpack(packages, new)
    _finish(new)
    answer = _output([*_chroot(new), "/usr/bin/env", "-i", "PATH=/usr/bin", "HOME=/tmp", "blender", "--version"])
    version = re.search(r"^Blender (\S+)", answer, re.MULTILINE)
    if version is None:
        raise SetupError(f"the unpacked Blender does not say its version:\n{answer}")
    (new / ".window-version").write_text(version[1], "utf-8")
    (new / ".window-format").write_text(FORMAT, "utf-8")
    shutil.rmtree(folder / "root", ignore_errors=True)
    new.rename(folder / "root")


def _download(suite: str, folder: Path) -> list[Path]:
    """All packages that Blender needs, as if nothing were installed."""
    for name in ("lists/partial", "cache/archives/partial", "sources"):
        (folder / name).mkdir(parents=True)
    (folder / "status").touch()
    source = SOURCE.format(mirror=_mirror(), suite=suite, keyring=KEYRING)
    (folder / "sources" / "debian.sources").write_text(source, "utf-8")
    settings = folder / "apt.conf"
    settings.write_text(APT_SETTINGS.format(folder=folder), "utf-8")
    environment = {**os.environ, "APT_CONFIG": str(settings)}
    _output(["apt-get", "-qq", "update"], environment)
    _output(["apt-get", "-qq", "-y", "--download-only", "install", *PACKAGES], environment)
    return sorted(
        (folder / "cache" / "archives").glob("*.deb"), key=lambda path: not path.name.startswith("base-files_")
    )


def _mirror() -> str:
    """The mirror that this machine's apt uses, else Debian's own."""
    for path in (*Path("/etc/apt/sources.list.d").glob("*"), Path("/etc/apt/sources.list")):
        text = path.read_text("utf-8", errors="replace") if path.is_file() else ""
        found = re.search(r"^(?:URIs:|deb\s+(?:\[.*?\]\s+)?)\s*(https?://\S+/debian)/?\s*", text, re.MULTILINE)
        if found:
            return found[1]
    return DEFAULT_MIRROR


def _unpack(packages: list[Path], root: Path) -> None:
    root.mkdir()
    left_out = [f"--exclude={pattern}" for pattern in NOT_UNPACKED]
    tar = ["tar", "-x", "-C", str(root), "--keep-directory-symlink", "--no-same-owner", *left_out]
    for package in packages:
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(package)], stdout=subprocess.PIPE) as source:
            done = subprocess.run(tar, stdin=source.stdout, capture_output=True, text=True, check=False)
        if done.returncode or source.returncode:
            raise SetupError(f"{package.name} cannot be unpacked: {done.stderr}")


def _finish(root: Path) -> None:
    """What the packages' install scripts would have done, as far as Blender needs it."""
    for name in EMPTY_FOLDERS:
        (root / name).mkdir(parents=True, exist_ok=True)
    libraries = "/usr/lib/x86_64-linux-gnu/blas\n/usr/lib/x86_64-linux-gnu/lapack\n"
    (root / "etc/ld.so.conf.d/window.conf").write_text(libraries, "utf-8")
    _output([*_chroot(root), "/sbin/ldconfig"])
    (root / "etc/passwd").write_text(f"root:x:0:0:root:{HOME}:/bin/sh\n", "utf-8")
    (root / "etc/group").write_text("root:x:0:\n", "utf-8")
    certificates = sorted((root / "usr/share/ca-certificates/mozilla").glob("*.crt"))
    (root / "etc/ssl/certs").mkdir(parents=True, exist_ok=True)
    bundle = "".join(path.read_text("utf-8") for path in certificates)
    (root / "etc/ssl/certs/ca-certificates.crt").write_text(bundle, "utf-8")


def _chroot(root: Path) -> list[str]:
    return ["chroot", str(root)] if os.geteuid() == 0 else ["unshare", "-Ur", "chroot", str(root)]


def _namespace() -> list[str]:
    """Options of unshare with which this user can mount."""
    for options in (["-m"], ["-Urm"]):
        if subprocess.run(["unshare", *options, "true"], capture_output=True, check=False).returncode == 0:
            return options
    raise SetupError("running Debian's Blender needs root or user namespaces; or give --blender")


def _output(command: list[str], environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        raise SetupError(f"{' '.join(command[:4])} ... failed:\n{(done.stdout + done.stderr)[-2000:]}")
    return done.stdout


if __name__ == "__main__":
    for name in sys.argv[1:] or SUITES:
        found = blender(name)
        print(f"Blender {found.version} in {found.root}")
