"""The API holds what `/openapi.json` says, whatever it is asked (Schemathesis), and the live view what `/asyncapi.json`
says."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import jsonschema_rs
import pytest
import schemathesis
from console_table import ADMIN, OPERATOR, REFEREE, client, play, table
from played import OPENING, PLAY, WIN
from test_accounts import heard, live

from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.web.app import create_app
from tablectl.web.schemas import asyncapi, event_schemas
from tablectl.web.settings import WebSettings

pytestmark = pytest.mark.real_time

#: examples for each request and role
EXAMPLES = 6
ROLES: list[dict[str, str]] = [{}, {"token": OPERATOR}, {"token": REFEREE}, ADMIN]
#: what would end the session that asks, or make this test slow on purpose
LEFT_OUT = ("/api/logout", "/api/login", "/api/password")


def operations(document: dict[str, Any]) -> Iterator[Any]:
    schema = schemathesis.openapi.from_dict(document)
    for operation in schema.get_all_operations():
        found = operation.ok()
        if found.path not in LEFT_OUT:
            yield found


def cases(operation: Any, count: int) -> list[Any]:
    """Examples of one request, the same in every run."""
    found: list[Any] = []

    @hypothesis.settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=[hypothesis.Phase.generate],
    )
    @hypothesis.given(operation.as_strategy())
    def collect(case: Any) -> None:
        found.append(case)

    collect()
    return found


async def test_no_request_fails_and_every_answer_is_as_described(tmp_path: Path) -> None:
    async with table(tmp_path) as (core, url):
        play(core, [*OPENING, *PLAY, *WIN])
        document = create_app(WebSettings(), tmp_path / "none.sock").openapi()
        collected = [(one, await asyncio.to_thread(cases, one, EXAMPLES)) for one in operations(document)]
        wrong: list[str] = []
        for login in ROLES:
            async with client(url, **login) as asker:
                for operation, found in collected:
                    for case in found:
                        wrong += await asked(asker, operation, case, url)
        assert wrong == []


async def asked(asker: Any, operation: Any, case: Any, url: str) -> list[str]:
    """What is wrong with the answer to one example."""
    given = {key: value for key, value in case.as_transport_kwargs(base_url=url).items() if value is not None}
    assert not given.pop("cookies", None)
    if "data" in given:
        given["content"] = given.pop("data")
    answer = await asker.request(**given)
    where = f"{operation.method.upper()} {answer.request.url}: {answer.status_code}"
    if answer.status_code >= 500:
        return [f"{where} {answer.text[:200]}"]
    if str(answer.status_code) not in operation.definition.raw["responses"]:
        return [f"{where} is not described"]
    described = operation.definition.raw["responses"][str(answer.status_code)]["content"]
    kind = answer.headers["content-type"].partition(";")[0]
    if kind not in described:
        return [f"{where}: {kind} is not described"]
    if kind != "application/json":
        return []
    schema = {**described[kind]["schema"], "components": operation.schema.raw_schema["components"]}
    return [f"{where}: {error.message[:200]} at {error.instance_path}" for error in _errors(schema, answer.json())]


def _errors(schema: dict[str, Any], value: Any) -> list[Any]:
    return list(jsonschema_rs.Draft202012Validator(schema).iter_errors(value))


async def test_the_live_views_messages_are_as_described(tmp_path: Path) -> None:
    document = asyncapi(create_app(WebSettings(), tmp_path / "none.sock"))
    assert document["asyncapi"] == "3.0.0"
    validators = {
        kind: jsonschema_rs.Draft202012Validator(
            {"$ref": f"#/components/schemas/{name}", "components": document["components"]}
        )
        for kind, name in (("state", "LiveState"), ("update", "LiveUpdate"), ("tick", "LiveTick"))
    }
    async with table(tmp_path) as (core, url), client(url, token=REFEREE) as referee, live(url, referee) as socket:
        play(core, OPENING)

        async def described(kind: str) -> None:
            message = await heard(socket, kind)
            errors = [
                f"{error.message[:200]} at {error.instance_path}" for error in validators[kind].iter_errors(message)
            ]
            assert errors == [], kind

        await described("state")
        for actions in (PLAY, WIN, [act.Rule(t=0, do="confirm", by="r")]):
            play(core, actions)
            await described("update")
        await described("tick")


def test_every_event_that_can_be_written_is_as_described() -> None:
    schemas = event_schemas()
    validator = jsonschema_rs.Draft202012Validator(
        {"$ref": "#/components/schemas/Event", "components": {"schemas": schemas}}
    )
    assert {name.removeprefix("Event_") for name in schemas} == {*ev.EVENTS, "Event", "Tile"}
    drawn = {"type": "tsumo", "actor": 0, "pai": None, "seq": 4, "from": "live"}
    assert validator.is_valid(drawn)
    for wrong in ({**drawn, "pai": "10m"}, {**drawn, "type": "tsumi"}, {"type": "tsumo"}):
        assert not validator.is_valid(wrong)
