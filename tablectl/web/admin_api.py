"""What the owner of a table looks after: accounts, sessions, and who looked at standing tiles."""

from __future__ import annotations

import logging
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path, Query
from pydantic import Field, SecretStr

from tablectl.web.doors import By, Gate, Link, Watcher, only_admin
from tablectl.web.models import (
    ERRORS,
    AccountOut,
    AccountsOut,
    Body,
    LooksOut,
    Result,
    SessionLine,
    SessionsOut,
)
from tablectl.web.roles import WebRole
from tablectl.web.store import MAX_NAME, Account, AccountError

log = logging.getLogger(__name__)
router = APIRouter(prefix="/api", responses=ERRORS, dependencies=[only_admin])

Name = Annotated[str, Path(max_length=MAX_NAME, description="of the account")]


class NewAccount(Body):
    """A player's name is the one that the match gives to his seat."""

    name: str = Field(min_length=1, max_length=MAX_NAME)
    role: WebRole
    password: SecretStr = Field(min_length=1, max_length=200)


class Password(Body):
    password: SecretStr = Field(min_length=1, max_length=200)


@router.get("/accounts")
async def accounts(access: Gate) -> AccountsOut:
    """All accounts."""
    return AccountsOut(result=[_account(account) for account in access.store.accounts()])


@router.post("/accounts")
async def add_account(body: NewAccount, access: Gate, by: By) -> AccountsOut:
    """A new account; the answer lists all."""
    try:
        made = access.store.add(body.name, body.role, body.password.get_secret_value())
    except AccountError as error:
        raise HTTPException(409, str(error)) from None
    log.info("%s made the account %r (%s)", by, made.name, made.role.value)
    return await accounts(access)


@router.delete("/accounts/{name}")
async def remove_account(name: Name, access: Gate, who: Watcher, by: By) -> AccountsOut:
    """Take an account away; its sessions end. The own one stays."""
    if name == who.name:
        raise HTTPException(409, "this is your own account; another admin can take it away")
    return await _changed(access, lambda: access.store.remove(name), f"{by} took away the account {name!r}")


@router.post("/accounts/{name}/password")
async def set_password(name: Name, body: Password, access: Gate, by: By) -> AccountsOut:
    """Give an account another password; its sessions end."""
    given = body.password.get_secret_value()
    return await _changed(
        access, lambda: access.store.set_password(name, given), f"{by} gave the account {name!r} another password"
    )


@router.post("/accounts/{name}/unlock")
async def unlock(name: Name, access: Gate, by: By) -> AccountsOut:
    """Let a locked account be tried again."""
    return await _changed(access, lambda: access.store.unlock(name), f"{by} unlocked the account {name!r}")


async def _changed(access: Gate, change: Any, done: str) -> AccountsOut:
    try:
        change()
    except AccountError as error:
        status = 404 if str(error).startswith("there is no account") else 409
        raise HTTPException(status, str(error)) from None
    log.info("%s", done)
    return await accounts(access)


def _account(account: Account) -> AccountOut:
    return AccountOut(
        name=account.name,
        role=account.role,
        locked=account.locked,
        created=account.created,
        changed=account.changed,
    )


@router.get("/sessions")
async def sessions(access: Gate, who: Watcher) -> SessionsOut:
    """Who is logged in."""
    lines = [
        SessionLine(
            id=one.id,
            role=one.role,
            name=one.name,
            seat=one.seat,
            address=one.address,
            begun=one.begun,
            used=one.used,
            own=one.id == who.session,
        )
        for one in access.store.sessions()
    ]
    return SessionsOut(result=lines)


@router.delete("/sessions/{number}")
async def end_session(number: Annotated[int, Path(ge=1, le=2**53)], access: Gate, by: By) -> Result:
    """End somebody's session."""
    if not access.store.end(number):
        raise HTTPException(404, f"there is no session {number}")
    log.info("%s ended the session %d", by, number)
    return Result(result={})


@router.get("/access")
async def access_log(
    link: Link,
    before: Annotated[int | None, Query(ge=1, le=2**53, description="only facts with a smaller number")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> LooksOut:
    """Who looked at standing tiles, and when; the latest first."""
    given: dict[str, Any] = {"limit": limit} | ({} if before is None else {"before": before})
    return LooksOut(result=await link.call("access.log", given))
