"""The bus: by type, in order, and one subscriber's failure is nobody else's."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tablectl.base.bus import Bus


@dataclass(frozen=True)
class News:
    text: str


class Good(News):
    pass


def test_subscribers_get_their_type_and_its_subclasses_in_order() -> None:
    bus, heard = Bus(), []
    bus.subscribe(News, lambda news: heard.append(("first", news.text)))
    bus.subscribe(Good, lambda news: heard.append(("good", news.text)))
    bus.subscribe(News, lambda news: heard.append(("second", news.text)))
    bus.publish(News("rain"))
    assert heard == [("first", "rain"), ("second", "rain")]
    heard.clear()
    bus.publish(Good("sun"))
    assert heard == [("good", "sun"), ("first", "sun"), ("second", "sun")]
    bus.publish("text")
    assert len(heard) == 3


def test_a_subscription_ends() -> None:
    bus, heard = Bus(), []
    end = bus.subscribe(News, heard.append)
    end()
    bus.publish(News("rain"))
    assert heard == []


def test_a_subscription_may_end_while_news_are_told() -> None:
    bus, heard = Bus(), []

    def once(news: News) -> None:
        heard.append(news)
        end()

    end = bus.subscribe(News, once)
    bus.subscribe(News, heard.append)
    bus.publish(News("a"))
    bus.publish(News("b"))
    assert [news.text for news in heard] == ["a", "a", "b"]


def test_everybody_is_told_whatever_one_does() -> None:
    bus, heard = Bus(), []

    def deaf(news: News) -> None:
        raise RuntimeError(news.text)

    bus.subscribe(News, deaf)
    bus.subscribe(News, heard.append)
    bus.subscribe(object, deaf)
    with pytest.raises(ExceptionGroup, match="subscribers of News failed") as caught:
        bus.publish(News("rain"))
    assert heard == [News("rain")]
    assert [str(error) for error in caught.value.exceptions] == ["rain", "rain"]
