"""``tablectl score`` and ``tablectl waits``: ask a rule system about a hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablectl.commands.terminal import FINE, FOUND_WRONG, JsonOption, fail, print_json, say, table, tells_errors

if TYPE_CHECKING:
    from tablectl.rules.api import RuleSet, Settlement, Verdict
    from tablectl.rules.cases import Case

Rules = Annotated[str, typer.Option("--rules", help="Rule system (see `tablectl rules list`).")]
OptionPairs = Annotated[
    list[str] | None, typer.Option("--option", "-o", metavar="NAME=VALUE", help="An option of the rule system.")
]


@tells_errors
def score(
    file: Annotated[Path, typer.Argument(help="A case or a list of cases, YAML or JSON (docs/rules/README.md).")],
    json: JsonOption = False,
) -> None:
    """Judge declared wins and settle the hand: legal or why not, fans, score, payments.

    Where a case says what it expects, the result is compared with it; exit code 1 if any differs.
    """
    from tablectl.documents import read_text
    from tablectl.rules.cases import parse_cases
    from tablectl.rules.registry import RULE_SETS, load, rule_class

    cases = parse_cases(read_text(file), str(file), {name: rule_class(name) for name in RULE_SETS})
    results, wrong = [], []
    for case in cases:
        rules = load(case.rules, case.options)
        settlement = rules.settle(case.situation)
        found = _result(case, settlement)
        results.append(found)
        differing = _differences(case, found)
        wrong += [f"{case.id}: {line}" for line in differing]
        if not json:
            _tell(case, settlement, found, differing)
    if json:
        print_json(results)
    elif len(cases) > 1 and any(case.expect for case in cases):
        say(f"{len(cases)} cases, {len({line.split(':')[0] for line in wrong})} differ from what they expect")
    raise typer.Exit(FOUND_WRONG if wrong else FINE)


def _result(case: Case, settlement: Settlement) -> dict[str, Any]:
    """The JSON object of a case's result; lists where several seats declared a win."""
    several = len(case.situation.wins) > 1
    columns: dict[str, list[Any]] = {
        "legal": [verdict.legal for verdict in settlement.verdicts],
        "reason": [verdict.reason for verdict in settlement.verdicts],
        "fans": [dict(verdict.fans) for verdict in settlement.verdicts],
        "score": [verdict.score for verdict in settlement.verdicts],
    }
    out: dict[str, Any] = {"id": case.id}
    out |= {key: values if several else values[0] for key, values in columns.items()}
    out["payments"] = list(settlement.payments)
    return out


def _differences(case: Case, found: dict[str, Any]) -> list[str]:
    if case.expect is None:
        return []
    several = len(case.situation.wins) > 1
    wanted: dict[str, Any] = {
        key: list(values) if several else values[0]
        for key, values in (
            ("legal", case.expect.legal),
            ("reason", case.expect.reason),
            ("fans", [dict(fans) for fans in case.expect.fans]),
            ("score", case.expect.score),
        )
    }
    wanted["payments"] = list(case.expect.payments)
    return [f"{key} is {found[key]}, expected {value}" for key, value in wanted.items() if found[key] != value]


def _tell(case: Case, settlement: Settlement, found: dict[str, Any], differing: list[str]) -> None:
    say(f"{case.id} ({case.rules})")
    for number, verdict in enumerate(settlement.verdicts):
        if case.situation.wins:
            say(f"  seat {case.situation.wins[number].seat}: {_verdict_words(verdict)}")
            _tell_proof(verdict)
        else:
            say("  drawn hand")
    say(f"  payments {'  '.join(f'{value:+d}' for value in found['payments'])}")
    for line in differing:
        say(f"  DIFFERS: {line}")


def _tell_proof(verdict: Verdict) -> None:
    if verdict.reading:
        say(f"    reading: {verdict.reading}")
    for proof in verdict.proof:
        sets = f"  from {' '.join(proof.sets)}" if proof.sets else ""
        if proof.refused:
            say(f"    not counted: {proof.name}: {proof.refused}")
        else:
            say(f"    {proof.name} {proof.value}{sets}  [{proof.paragraph}]")


def _verdict_words(verdict: Verdict) -> str:
    fans = " ".join(f"{name} {value}" for name, value in verdict.fans.items())
    if verdict.legal:
        return f"wins, score {verdict.score}: {fans or 'no fan'}"
    return f"not a win: {verdict.reason}" + (f" (worth {verdict.score}: {fans})" if fans else "")


@tells_errors
def waits(
    hand: Annotated[str, typer.Argument(help='Standing tiles, melds in brackets: "[123m,1]456p55p78s234m".')],
    rules: Rules = "competition",
    option: OptionPairs = None,
    seat: Annotated[int, typer.Option(min=0, max=3, help="The seat; seat 0 deals unless --dealer says otherwise.")] = 1,
    dealer: Annotated[int, typer.Option(min=0, max=3)] = 0,
    prevalent: Annotated[str, typer.Option(help="Prevalent wind: E, S, W or N.")] = "E",
    indicator: Annotated[str | None, typer.Option(help="The indicator, where the rules have wildcards.")] = None,
    json: JsonOption = False,
) -> None:
    """Every tile that completes a hand, and what it would bring on a discard and self-drawn."""
    from tablectl.rules.api import Situation, Win
    from tablectl.tiles.notation import parse_line, parse_tile
    from tablectl.tiles.tile import Tile

    system = load_rules(rules, option)
    line = parse_line(hand)
    standing = line.concealed + ((line.tile,) if line.tile is not None else ())
    points = system.first_hand().points
    situation = Situation(
        dealer=dealer,
        prevalent=parse_tile(prevalent),
        points=points,
        indicator=parse_tile(indicator) if indicator else None,
    )
    if system.play.indicator != "none" and indicator is None:
        fail(f"{rules} has wildcards: say which tile was turned up, for example --indicator 5m")
    full = system.play.hand_tiles - 3 * len(line.melds)
    if len(standing) != full:
        fail(
            f"{len(standing)} standing tiles and {len(line.melds)} melds; expected {full} standing tiles "
            f"(a hand of {rules} has {system.play.hand_tiles} before it draws, 3 less for each meld)"
        )
    found = system.waits(situation, Win(seat, standing, line.melds, line.flowers, Tile.EAST))
    if json:
        print_json(
            [
                {
                    "tile": wait.tile.code,
                    "discard": _wait_json(wait.discard),
                    "self_draw": _wait_json(wait.self_draw),
                }
                for wait in found
            ]
        )
    elif not found:
        say("no tile completes this hand")
    else:
        rows = [(w.tile.code, w.tile.name_zh, _wait_words(w.discard), _wait_words(w.self_draw)) for w in found]
        table(f"Waits of {hand}", ("tile", "", "on a discard", "self-drawn"), rows)


def load_rules(rules: str, pairs: list[str] | None) -> RuleSet:
    """The rule system with options given as ``name=value`` (values in YAML)."""
    from tablectl.documents import parse
    from tablectl.rules.registry import load

    options: dict[str, Any] = {}
    for pair in pairs or []:
        name, sign, value = pair.partition("=")
        if not sign:
            fail(f"--option {pair!r}: expected NAME=VALUE, for example claim_seconds=5")
        options[name.strip()] = parse(value, f"--option {name}").plain()
    return load(rules, options)


def _wait_json(verdict: Verdict | None) -> dict[str, Any] | None:
    if verdict is None:
        return None
    return {
        "legal": verdict.legal,
        "reason": verdict.reason,
        "fans": dict(verdict.fans),
        "score": verdict.score,
    }


def _wait_words(verdict: Verdict | None) -> str:
    if verdict is None:
        return "–"
    fans = " ".join(f"{name} {value}" for name, value in verdict.fans.items())
    return f"{verdict.score}  {fans}" if verdict.legal else f"no: {verdict.reason}"
