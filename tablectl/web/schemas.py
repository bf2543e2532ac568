"""`/openapi.json` and `/asyncapi.json`: schemas of the events from their own types, and the live view's messages."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from tablectl.game.events import EVENTS, Event
from tablectl.web.models import ErrorOut, LiveState, LiveTick, LiveUpdate

Json = dict[str, Any]
REF: Final = "#/components/schemas/"
MESSAGES: Final[tuple[type[BaseModel], ...]] = (LiveState, LiveUpdate, LiveTick)
DESCRIBED: Final[tuple[type[BaseModel], ...]] = (*MESSAGES, ErrorOut)
_PLAIN: Final[Mapping[Any, Json]] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    type(None): {"type": "null"},
    Any: {},
}


def event_schemas() -> dict[str, Json]:
    """A schema for each type of event, for all of them (``Event``), and for a tile's code (``Tile``)."""
    found: dict[str, Json] = {}
    for name, cls in EVENTS.items():
        found[f"Event_{name}"] = _event(name, cls, found)
    names = sorted(found.keys() - {"Tile"})
    mapping = {name.removeprefix("Event_"): REF + name for name in names}
    found["Event"] = {
        "oneOf": [{"$ref": REF + name} for name in names],
        "discriminator": {"propertyName": "type", "mapping": mapping},
    }
    return found


def _event(name: str, cls: type[Event], found: dict[str, Json]) -> Json:
    hints = get_type_hints(cls)
    properties: Json = {"type": {"type": "string", "const": name}, "seq": {"type": "integer", "minimum": 1}}
    required = ["type"]
    for item in fields(cls):
        key = item.name.rstrip("_")
        properties[key] = _schema(hints[item.name], found)
        if item.default is MISSING and item.default_factory is MISSING:
            required.append(key)
    return {
        "type": "object",
        "title": cls.__name__,
        "description": " ".join((cls.__doc__ or "").split()),
        "properties": properties,
        "required": required,
    }


def _schema(hint: Any, found: dict[str, Json]) -> Json:
    """The JSON schema of an annotated type (`game.events.to_json` says how it is written)."""
    origin, args = get_origin(hint), get_args(hint)
    if hint in _PLAIN:
        return dict(_PLAIN[hint])
    if origin in (Union, types.UnionType):
        return {"anyOf": [_schema(arg, found) for arg in args]}
    if origin is Literal:
        return {"enum": list(args)}
    if origin is tuple and args[1:] == (Ellipsis,):
        return {"type": "array", "items": _schema(args[0], found)}
    if origin is tuple:
        return {"type": "array", "items": _schema(args[0], found), "minItems": len(args), "maxItems": len(args)}
    if origin is not None and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _schema(args[1], found)}
    if issubclass(hint, Event):
        return {"$ref": REF + "Event"}
    found["Tile"] = {
        "type": "string",
        "title": "Tile",
        "description": "A tile in notation: 1m–9m, 1p–9p, 1s–9s, E S W N C F P, flowers a–h.",
        "enum": [tile.code for tile in hint],
    }
    return {"$ref": REF + "Tile"}


def _linked(value: Any) -> Any:
    """``value`` with references in place of what `models` only names."""
    if isinstance(value, dict):
        if "x-named" in value:
            return {"$ref": REF + value["x-named"]}
        return {key: _linked(item) for key, item in value.items()}
    return [_linked(item) for item in value] if isinstance(value, list) else value


def _messages() -> dict[str, Json]:
    """The live view's messages and errors, and what they are made of."""
    _, told = models_json_schema([(model, "serialization") for model in DESCRIBED], ref_template=REF + "{model}")
    found: dict[str, Json] = told["$defs"]
    return found


def openapi(app: FastAPI) -> Json:
    """The document of every request. The live view's messages are among its schemas."""
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title, version=app.version, summary=app.summary, description=app.description, routes=app.routes
        )
        schemas = document["components"]["schemas"]
        document["components"]["schemas"] = {**_messages(), **schemas, **event_schemas()}
        app.openapi_schema = _linked(document)
    return app.openapi_schema


def asyncapi(app: FastAPI) -> Json:
    """The document of the live view (AsyncAPI 3.0)."""
    schemas = _linked({**_messages(), **event_schemas()})
    names = [model.__name__ for model in MESSAGES]
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": f"{app.title}: the live view",
            "version": app.version,
            "description": "The server speaks, the client listens. `?since=N` goes on after event N.",
        },
        "channels": {
            "live": {
                "address": "/ws",
                "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in names},
                "bindings": {"ws": {"query": {"type": "object", "properties": {"since": {"type": "integer"}}}}},
            }
        },
        "operations": {"hear": {"action": "receive", "channel": {"$ref": "#/channels/live"}}},
        "components": {
            "messages": {name: {"name": name, "payload": {"$ref": REF + name}} for name in names},
            "schemas": schemas,
        },
    }
