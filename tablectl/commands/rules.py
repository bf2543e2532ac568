"""``tablectl rules``: the rule systems, their cards and their options."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from tablectl.commands.score import OptionPairs, load_rules
from tablectl.commands.terminal import JsonOption, print_json, say, table, tells_errors

app = typer.Typer(help="The rule systems: list them, show a card a player can read, list the options.")


class Language(StrEnum):
    """Languages of a rule card."""

    ZH = "zh"
    EN = "en"


Id = Annotated[str, typer.Argument(help="The rule system, e.g. competition.")]


@app.command("list")
@tells_errors
def list_rules(json: JsonOption = False) -> None:
    """The rule systems this table knows."""
    from tablectl.rules.registry import RULE_SETS, rule_class

    classes = [rule_class(name) for name in RULE_SETS]
    if json:
        print_json([{"id": cls.id, "zh": cls.name_zh, "en": cls.name_en} for cls in classes])
    else:
        table("Rule systems", ("id", "中文", "English"), [(cls.id, cls.name_zh, cls.name_en) for cls in classes])


@app.command()
@tells_errors
def show(
    id: Id,
    option: OptionPairs = None,
    language: Annotated[Language, typer.Option(help="Language of the card.")] = Language.ZH,
    json: JsonOption = False,
) -> None:
    """The rule card: every fan, its value under these options, and what it is."""
    from tablectl.announce.texts import load_texts

    rules = load_rules(id, option)
    fans = rules.fan_table()
    english = load_texts("en").fan
    if json:
        print_json(
            {
                "id": rules.id,
                "zh": rules.name_zh,
                "en": rules.name_en,
                "tiles": rules.tile_set.total,
                "hand": rules.play.hand_tiles,
                "fans": [
                    {
                        "number": fan.number,
                        "name": fan.name,
                        "name_en": english(fan.name),
                        "value": fan.value,
                        "definition": fan.definition,
                        "definition_zh": fan.definition_zh,
                        "paragraph": fan.paragraph,
                    }
                    for fan in fans
                ],
            }
        )
        return
    if language is Language.ZH:
        say(f"{rules.name_zh}（{rules.id}）：{rules.tile_set.total} 张牌，每家 {rules.play.hand_tiles} 张", "")
        rows = [(fan.number or "", fan.name, fan.value, fan.definition_zh, fan.paragraph) for fan in fans]
        table("番种", ("序", "番种", "分", "说明", "条"), rows)
        say(f"规则全文：docs/rules/{rules.id}.md")
        return
    say(f"{rules.name_en} ({rules.id}): {rules.tile_set.total} tiles, hands of {rules.play.hand_tiles}", "")
    rows = [
        (fan.number or "", f"{fan.name} {english(fan.name)}", fan.value, fan.definition, fan.paragraph) for fan in fans
    ]
    table("Fans", ("no", "name", "value", "definition", "§"), rows)
    say(f"Specification: docs/rules/{rules.id}.md")


@app.command()
@tells_errors
def options(id: Id, json: JsonOption = False) -> None:
    """Every option of a rule system: type, default, meaning, paragraph."""
    from tablectl.rules.options import describe
    from tablectl.rules.registry import rule_class

    lines = describe(rule_class(id).Options)
    if json:
        print_json(
            [
                {
                    "name": line.name,
                    "type": line.type,
                    "default": line.default,
                    "meaning": line.meaning,
                    "paragraph": line.paragraph,
                }
                for line in lines
            ]
        )
    else:
        rows = [(line.name, line.type, line.default, line.meaning, line.paragraph) for line in lines]
        table(f"Options of {id}", ("option", "type", "default", "meaning", "§"), rows)
