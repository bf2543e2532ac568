"""``tablectl stats``: are walls and dice what chance makes?"""

from __future__ import annotations

from typing import Annotated, Final

import typer

from tablectl.commands.journals import DEFAULT_CONFIG, Config, JournalPath, entries_of
from tablectl.commands.terminal import FOUND_WRONG, JsonOption, print_json, say, table, tells_errors

#: what each test looks at, in words
NAMES: Final = {
    "dice_faces": "faces of the dice",
    "dice_sums": "sums of a throw",
    "dice_runs": "runs of high and low faces",
    "wall_sides": "kinds on the four sides",
    "wall_levels": "kinds on upper and lower tiles",
    "wall_thirds": "kinds along a side",
    "wall_quarters": "kinds in the order of drawing",
    "beside_same_kind": "neighbours of one kind",
    "beside_same_suit": "neighbours of one suit",
    "beside_last_hand": "neighbours of the last hand's table",
    "beside_hand_before_last": "neighbours of the table before that",
}


@tells_errors
def stats(
    journal: JournalPath = None,
    config: Config = DEFAULT_CONFIG,
    alpha: Annotated[
        float, typer.Option(min=1e-6, max=0.5, help="How often a fair table may be called suspicious, over all tests.")
    ] = 0.01,
    json: JsonOption = False,
) -> None:
    """Fairness statistics over all walls and dice in the journal. Exit code 1 where something is suspicious."""
    from tablectl.game.events import from_json
    from tablectl.game.statistics import Tally

    tally = Tally()
    for entry in entries_of(journal, config):
        if entry.type in Tally.TYPES:
            tally.add(from_json(entry.data))
    report = tally.report(alpha)
    if json:
        print_json(report.to_json())
    else:
        rows = [
            (
                NAMES[found.name],
                found.n,
                "" if found.statistic is None else f"{'χ²' if found.df else 'z'} {found.statistic:.2f}",
                found.df,
                "" if found.p is None else f"{found.p:.4f}",
                found.verdict.replace("_", " "),
            )
            for found in report.tests
        ]
        table("Fairness", ("test", "sample", "statistic", "df", "p", "verdict"), rows)
        threshold = report.tests[0].threshold
        say(f"{report.walls} walls, {report.throws} throws. Suspicious: p < {threshold:.5f} ({alpha:g} over all tests)")
    raise typer.Exit(FOUND_WRONG if report.suspicious else 0)
