"""Signed files: who gets an export can tell that this table wrote it, and that nobody changed it since.

The signature is one of OpenSSH (PROTOCOL.sshsig), made and checked by its ``ssh-keygen -Y``: any computer with OpenSSH
checks it without this program. The table's private key never leaves its folder; the public one is given to whoever is
to check, once, by another way than the files.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

#: what such a signature is for; one made for something else does not count
NAMESPACE: Final = "tablectl-records"
#: beside the journal
KEY: Final = "signing.key"
#: who signs, in the file of allowed signers
TABLE: Final = "table"
_PATIENCE_S: Final = 30


class SigningError(Exception):
    """A file was not signed, or its signature does not hold; the message says why."""


@dataclass(frozen=True, slots=True)
class Signed:
    """A signature that holds. ``fingerprint``: of the key that made it; ``known``: it is the key that was expected."""

    fingerprint: str
    known: bool


def public_key(folder: Path) -> str:
    """The table's public key, one line; its pair is made where there is none yet.

    Raises:
        SigningError: it cannot be made or read.
    """
    key = folder / KEY
    if not key.exists():
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _keygen("-q", "-t", "ed25519", "-N", "", "-C", "tablectl", "-f", str(key))
    try:
        key.chmod(0o600)
        return Path(f"{key}.pub").read_text(encoding="utf-8").strip()
    except OSError as error:
        raise SigningError(f"{error.filename}: cannot be read: {error.strerror}") from error


def sign(file: Path, folder: Path) -> Path:
    """Sign ``file`` with the table's key in ``folder``; the file with the signature.

    Raises:
        SigningError: it cannot be signed.
    """
    public_key(folder)
    signature = Path(f"{file}.sig")
    if signature.exists():
        raise SigningError(f"{signature}: exists already; take it away, or give the export another name")
    _keygen("-Y", "sign", "-q", "-f", str(folder / KEY), "-n", NAMESPACE, str(file))
    return signature


def verify(file: Path, signature: Path, key: str | None) -> Signed:
    """Check ``signature`` of ``file``; with ``key`` (a public key, one line) also that it is that table's.

    Raises:
        SigningError: the file was changed, the signature is of another file or key, or is none.
    """
    for path in (file, signature):
        if not path.is_file():
            raise SigningError(f"{path}: is not there; expected the export and its signature {file}.sig")
    if key is None:
        said = _keygen("-Y", "check-novalidate", "-n", NAMESPACE, "-s", str(signature), read=file)
        return Signed(_fingerprint(said), known=False)
    with tempfile.NamedTemporaryFile("w", suffix=".signers", encoding="utf-8") as allowed:
        allowed.write(f'{TABLE} namespaces="{NAMESPACE}" {" ".join(key.split()[:2])}\n')
        allowed.flush()
        said = _keygen(
            *("-Y", "verify", "-f", allowed.name, "-I", TABLE, "-n", NAMESPACE, "-s", str(signature)), read=file
        )
    return Signed(_fingerprint(said), known=True)


def _fingerprint(said: str) -> str:
    return next((word for word in said.split() if word.startswith("SHA256:")), "")


def _keygen(*words: str, read: Path | None = None) -> str:
    program = shutil.which("ssh-keygen")
    if program is None:
        raise SigningError("signing needs ssh-keygen: sudo apt-get install openssh-client")
    try:
        with (read or Path("/dev/null")).open("rb") as given:
            done = subprocess.run([program, *words], stdin=given, capture_output=True, timeout=_PATIENCE_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SigningError(f"ssh-keygen did not work: {error}") from error
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip() or done.stdout.decode(errors="replace").strip()
        raise SigningError("; ".join(said.splitlines()) or f"ssh-keygen ended with {done.returncode}")
    return done.stdout.decode(errors="replace")
