"""Signed exports: whoever has the table's public key can tell that nobody touched a file, with OpenSSH alone too."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from journals import played
from typer.testing import CliRunner

from tablectl.cli import app
from tablectl.core.signing import NAMESPACE, SigningError, public_key, sign, verify


def hands(*words: object) -> Any:
    done = CliRunner().invoke(app, ["hands", *map(str, words)])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """An export with its signature, and the table's public key."""
    folder = tmp_path_factory.mktemp("table")
    played(folder / "journal.sqlite")
    file = folder / "hands.jsonl"
    done = hands("export", file, "--sign", "--journal", folder / "journal.sqlite")
    assert done.exit_code == 0, done.output
    assert f"signed: {file}.sig" in done.output
    return file, hands("key", "--journal", folder / "journal.sqlite").stdout.strip()


def test_an_export_is_as_the_table_wrote_it(exported: tuple[Path, str]) -> None:
    file, key = exported
    done = hands("check-signature", file, "--key", key, "--json")
    assert (done.exit_code, json.loads(done.stdout)["known"]) == (0, True)
    (file.parent / "table.pub").write_text(f"{key}\n")
    assert (
        "as this table wrote it (SHA256:" in hands("check-signature", file, "--key", file.parent / "table.pub").stdout
    )
    unknown = hands("check-signature", file)
    assert (unknown.exit_code, "with --key it is told whose" in unknown.stdout) == (0, True)


def test_only_the_table_reads_its_private_key(exported: tuple[Path, str]) -> None:
    file, key = exported
    assert (file.parent / "signing.key").stat().st_mode & 0o777 == 0o600
    assert key.startswith("ssh-ed25519 ")
    (file.parent / "signing.key").chmod(0o644)
    assert public_key(file.parent) == key  # the same one, and closed again
    assert (file.parent / "signing.key").stat().st_mode & 0o777 == 0o600


def test_openssh_alone_checks_it(exported: tuple[Path, str], tmp_path: Path) -> None:
    file, key = exported
    (tmp_path / "signers").write_text(f"table {key}\n")
    command = ["ssh-keygen", "-Y", "verify", "-f", tmp_path / "signers", "-I", "table", "-n", NAMESPACE]
    with file.open("rb") as given:
        done = subprocess.run([*command, "-s", f"{file}.sig"], stdin=given, capture_output=True, text=True, check=False)
    assert (done.returncode, "Good" in done.stdout) == (0, True)


def test_one_changed_byte_another_key_another_purpose(exported: tuple[Path, str], tmp_path: Path) -> None:
    file, key = exported
    changed = tmp_path / "changed.jsonl"
    changed.write_bytes(file.read_bytes().replace(b'"score":', b'"score":1', 1) + b" ")
    (tmp_path / "changed.jsonl.sig").write_bytes(Path(f"{file}.sig").read_bytes())
    for words in ((changed,), (changed, "--key", key)):
        done = hands("check-signature", *words)
        assert (done.exit_code, "the signature does not hold" in done.stderr) == (1, True)
    other = public_key(tmp_path / "other table")
    done = hands("check-signature", file, "--key", other, "--json")
    assert (done.exit_code, json.loads(done.stdout)["holds"]) == (1, False)
    with pytest.raises(SigningError):
        verify(file, Path(f"{file}.sig"), "no key at all")
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(file.read_bytes())
    made = ["ssh-keygen", "-Y", "sign", "-q", "-f", file.parent / "signing.key", "-n", "file", copy]
    subprocess.run(made, check=True, capture_output=True)
    with pytest.raises(SigningError):
        verify(copy, Path(f"{copy}.sig"), key)


def test_what_is_missing_is_named(exported: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, _ = exported
    assert "is not there" in hands("check-signature", tmp_path / "none").stderr
    with pytest.raises(SigningError, match="exists already"):
        sign(file, file.parent)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SigningError, match="sudo apt-get install openssh-client"):
        verify(file, Path(f"{file}.sig"), None)
