"""Secrets that systemd hands over: they count before the configuration, and are in no message."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tablectl.cli import app
from tablectl.core.credentials import CredentialError, with_credentials
from tablectl.web.settings import WebSettings

WEB = {"port": 8080, "tokens": {"referee": "from-the-file", "operator": "operator-word", "spectator": ""}}


def test_without_systemd_the_configuration_counts() -> None:
    assert with_credentials(WEB, {}) == WEB


def test_words_and_certificate_come_from_the_folder(tmp_path: Path) -> None:
    (tmp_path / "referee.token").write_text("word-of-the-referee\n")
    (tmp_path / "spectator.token").write_text("\n")
    (tmp_path / "metrics.token").write_text("metrics-word\n")
    for name in ("page.crt", "page.key"):
        (tmp_path / name).write_text("-----BEGIN")
    page = WebSettings.model_validate(with_credentials(WEB, {"CREDENTIALS_DIRECTORY": str(tmp_path)}))
    assert page.tokens.referee.get_secret_value() == "word-of-the-referee"
    assert page.tokens.operator.get_secret_value() == "operator-word"
    assert page.tokens.spectator.get_secret_value() == ""
    assert page.metrics_token.get_secret_value() == "metrics-word"
    assert (page.certificate, page.key) == (tmp_path / "page.crt", tmp_path / "page.key")
    assert "word-of-the-referee" not in repr(page)
    assert WEB["tokens"]["referee"] == "from-the-file"  # type: ignore[index]


def test_half_a_certificate_is_none(tmp_path: Path) -> None:
    (tmp_path / "page.crt").write_text("-----BEGIN")
    (tmp_path / "page.key").touch()
    assert with_credentials(WEB, {"CREDENTIALS_DIRECTORY": str(tmp_path)}) == WEB


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "operator.token").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CredentialError, match=r"operator\.token: cannot be read"):
        with_credentials(WEB, {"CREDENTIALS_DIRECTORY": str(tmp_path)})


def test_a_weak_word_ends_the_page_and_is_not_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "referee.token").write_text("hush")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    config = Path(__file__).parents[2] / "config" / "sim.yaml"
    done = CliRunner().invoke(app, ["web", str(config)])
    assert done.exit_code == 2
    assert "secrets of the page: tokens: Value error, the referee token is too short" in done.output
    assert "hush" not in done.output
