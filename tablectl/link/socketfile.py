"""The file of a Unix socket: opened with its mode, taken over when stale, never from a live core."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

#: ``sun_path`` of a Unix socket address holds 108 bytes with its closing zero
MAX_PATH_BYTES = 107


class LinkError(Exception):
    """The socket cannot be opened; the message says why and what to do."""


def bind(path: Path, mode: int) -> socket.socket:
    """A bound socket at ``path`` that nobody else could connect to before ``mode`` was set."""
    if len(os.fsencode(path)) > MAX_PATH_BYTES:
        raise LinkError(f"{path}: the path of a socket may have {MAX_PATH_BYTES} bytes; choose a shorter one")
    if not path.parent.is_dir():
        raise LinkError(f"{path}: the directory {path.parent} does not exist; create it or change the link's path")
    _remove_stale(path)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    umask = os.umask(0o177)
    try:
        sock.bind(os.fspath(path))
    except OSError as error:
        sock.close()
        raise LinkError(f"{path}: cannot open the socket: {error.strerror}") from error
    finally:
        os.umask(umask)
    path.chmod(mode)
    return sock


def _remove_stale(path: Path) -> None:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise LinkError(f"{path} is there and is no socket; remove it or change the link's path")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(os.fspath(path))
        except ConnectionRefusedError:
            path.unlink()
            return
        except OSError as error:
            raise LinkError(f"{path}: cannot tell who holds the socket: {error.strerror}") from error
    raise LinkError(f"{path}: another tablectl answers there; stop it first, or give this table another path")
