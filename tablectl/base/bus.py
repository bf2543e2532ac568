"""A typed bus inside one process: who wants to know subscribes to a type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class Bus:
    """Delivers each published object to the subscribers of its type and of its base classes, in order of subscription.

    A subscriber is a plain function and must not block; an exception in one does not keep the others from being
    called: it is raised after all of them ran.
    """

    def __init__(self) -> None:
        self._subscribers: dict[type[Any], list[Callable[[Any], None]]] = {}

    def subscribe(self, kind: type[T], receive: Callable[[T], None]) -> Callable[[], None]:
        """Call ``receive`` with every published object of ``kind``; the result ends the subscription."""
        receivers = self._subscribers.setdefault(kind, [])
        receivers.append(receive)
        return lambda: receivers.remove(receive)

    def publish(self, item: object) -> None:
        """Deliver ``item``. Raises an ExceptionGroup of what subscribers raised."""
        errors: list[Exception] = []
        for kind in type(item).__mro__:
            for receive in tuple(self._subscribers.get(kind, ())):
                try:
                    receive(item)
                except Exception as error:  # every subscriber is told, whatever another one does
                    errors.append(error)
        if errors:
            raise ExceptionGroup(f"subscribers of {type(item).__name__} failed", errors)
