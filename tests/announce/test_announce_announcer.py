"""The announcer on what happens at a table: what is shown when, what is said, and what is never shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tablectl.announce.announcer import PAGE_SECONDS, Announcer, View
from tablectl.announce.notices import LIFETIME
from tablectl.announce.screens import Countdown, Dice, Flags, Grid, Line, Paragraph, Rows, Screen
from tablectl.announce.texts import LANGUAGES, load_texts
from tablectl.base.bus import Bus
from tablectl.base.clock import HandClock
from tablectl.base.faults import FaultLatch
from tablectl.game import events as ev
from tablectl.game.fold import Fold
from tablectl.rules.api import Points
from tablectl.rules.registry import load
from tablectl.tiles.notation import parse_tiles
from tablectl.tiles.tile import PLAYABLE, Tile

ZH, EN = (load_texts(language) for language in LANGUAGES)
NAMES = ("张伟", "王芳", "李娜", "刘洋")
START: Points = (100, 100, 100, 100)
#: No flowers; the dealer wins with the second 2s.
HANDS = ("123m456m789m11p22s", "123p456p789p33s44s", "EEESSSWWWNNNC", "5566778899sFFP")


class Story:
    """A match, told to an announcer event by event, a second each unless ``t`` says otherwise."""

    def __init__(
        self,
        quiet: tuple[str, ...] = (),
        simulated: bool = False,
        options: dict[str, object] | None = None,
        rules: str = "competition",
    ) -> None:
        self.table = Fold(load(rules, options))
        self.announcer = Announcer(self.table, ZH, quiet=quiet)
        self.now = 0.0
        self.tell(ev.MatchStarted(rules=rules, names=NAMES, scores=START, simulated=simulated))

    def tell(self, event: ev.Event, after: float = 1.0) -> None:
        self.now += after
        object.__setattr__(event, "t", self.now)
        self.table.apply(event)
        self.announcer.event(event, self.now)

    def screen(self, later: float = 0.0, texts: Any = ZH, seat: int | None = None) -> Screen:
        return self.announcer.current(View(texts, seat), self.now + later)

    def kind(self, later: float = 0.0) -> str:
        return self.screen(later).kind

    def said(self, texts: Any = ZH) -> list[str]:
        return [speech.text(texts) for speech in self.announcer.take_speech()]

    def open(self, hand: int = 1, dealer: int = 0, streak: int = 0) -> None:
        self.tell(
            ev.HandOpened(hand=hand, rules="competition", dealer=dealer, bakaze=Tile.EAST, streak=streak, scores=START)
        )

    def deal(self) -> None:
        """To the dealer's first discard: 20 s from now."""
        self.open()
        self.tell(ev.DiceThrown(actor=0, dice=(3, 4)))
        self.tell(ev.HandDealt(tehais=tuple(parse_tiles(hand) for hand in HANDS)), after=10)
        self.tell(ev.TileDrawn(actor=0, pai=Tile.S2), after=0)
        self.said()

    def declare(self, actor: int = 0, target: int = 0) -> None:
        self.tell(
            ev.WinDeclared(
                actor=actor,
                target=target,
                pai=Tile.S2,
                hand="",
                melds="",
                flowers="",
                how=(),
                legal=True,
                reason=None,
                fans={"清龙": 10, "门清": 8},
                score=18,
                payments=(54, -18, -18, -18),
            )
        )

    def win(self, actor: int = 0, target: int = 0, deltas: Points = (54, -18, -18, -18)) -> None:
        self.tell(
            ev.HandWon(actor=actor, target=target, pai=Tile.S2, fans={"清龙": 10, "门清": 8}, score=18, deltas=deltas)
        )

    def end(self, deltas: Points = (54, -18, -18, -18)) -> None:
        a, b, c, d = (start + delta for start, delta in zip(START, deltas, strict=True))
        self.tell(ev.HandEnded(scores=(a, b, c, d), deltas=deltas))


def words(screen: Screen) -> str:
    """Everything that is written on a screen."""
    return " ".join([screen.header, *_words(screen)])


def _words(screen: Screen) -> Iterator[str]:
    for page in screen.pages:
        for block in page:
            match block:
                case Line(text=text) | Paragraph(text=text):
                    yield text
                case Rows(rows=rows, total=total):
                    yield from (cell for row in (*rows, total) for cell in row)
                case Grid(cells=cells):
                    yield from (text for cell in cells for text in cell)
                case Countdown(label=label, seat=seat, free=free, seconds=seconds):
                    yield from (label, seat, free, str(seconds))
                case Dice(dice=dice):
                    yield from map(str, dice)


def block(screen: Screen, kind: type) -> Any:
    return next(block for page in screen.pages for block in page if isinstance(block, kind))


# --- between hands


def test_before_a_match_the_players_are_awaited() -> None:  # zhenjiang Z610
    table = Fold(load("competition"))
    announcer = Announcer(table, ZH)
    assert announcer.current(View(ZH), 0.0).kind == "idle"
    event = ev.SeatsNamed(names=("张伟", "", "李娜", ""))
    table.apply(event)
    announcer.event(event, 1.0)
    screen = announcer.current(View(ZH), 1.0)
    assert screen.kind == "waiting"
    assert block(screen, Flags).flags == (("东", True), ("南", False), ("西", True), ("北", False))
    assert "2 / 4 已就位" in words(screen)


def test_the_cycle_of_the_table_is_shown_and_gives_way_to_the_hand() -> None:
    story = Story()
    announcer = story.announcer
    announcer.machine("homing", [], story.now)
    assert story.kind() == "homing"
    announcer.machine("shuffling", [(36, 36), (12, 36), (0, 36), (35, 36)], story.now)
    assert story.kind() == "shuffling"
    announcer.machine("ready", [], story.now)
    assert "牌墙已备好" in words(story.screen())
    announcer.machine("collecting", [], story.now)
    assert "请推入麻将牌" in words(story.screen())
    announcer.machine("raising", [], story.now)
    announcer.machine("shuffling", [(0, 36)] * 4, story.now)  # the other set, while this one is played
    story.open()
    assert story.kind() == "walls_ready"
    announcer.machine("ready", [], story.now)
    assert story.kind() == "walls_ready"
    announcer.machine("paused", [], story.now)  # 补牌 in the middle of a hand
    assert "补牌" in words(story.screen())


def test_the_dealer_is_asked_for_the_dice_and_the_sum_is_said() -> None:  # J113
    story = Story()
    story.open(dealer=2)
    assert story.kind() == "walls_ready"
    assert "请东家掷骰子" in words(story.screen())
    assert story.said() == ["请东家掷骰子"]
    story.announcer.commit("3f9a 07c2", story.now)
    assert "封墙 3f9a 07c2" in words(story.screen())
    story.tell(ev.DiceThrown(actor=2, dice=(3, 5)))
    assert block(story.screen(), Dice).dice == (3, 5)
    assert "从东家牌墙第8墩起" not in words(story.screen())  # 8: the fourth from the dealer, north (J4)
    assert "从北家牌墙第8墩起" in words(story.screen())
    assert [(s.prompt, s.text(ZH)) for s in story.announcer.take_speech()] == [("dice.8", "8点")]
    assert story.kind(LIFETIME["dice"]) == "dealing"


def test_double_play_is_announced_at_the_start_and_stays_in_the_header() -> None:  # J60, J113
    story = Story()
    story.open(hand=2, streak=1)
    assert story.kind() == "double"
    assert story.said() == ["本盘倍打", "请东家掷骰子"]
    later = story.screen(LIFETIME["double"])
    assert later.kind == "walls_ready"
    assert later.header == "东圈 第2盘 倍打"


# --- the turn


def test_whose_turn_and_the_seconds_left() -> None:  # J30
    story = Story()
    story.deal()
    countdown = block(story.screen(), Countdown)
    assert (countdown.seat, countdown.seconds, countdown.share) == ("东家", 20, 1.0)
    assert block(story.screen(0.5), Countdown).seconds == 20
    assert block(story.screen(12.2), Countdown).seconds == 8
    assert block(story.screen(30), Countdown).seconds == 0
    story.tell(ev.TileDiscarded(actor=0, pai=Tile.S2))
    countdown = block(story.screen(), Countdown)
    assert (countdown.seat, countdown.seconds) == ("南家", 10)
    assert block(story.screen(texts=EN), Countdown).seat == "South"


def test_the_display_changes_once_a_second_while_the_time_runs() -> None:
    story = Story()
    story.deal()
    now, ticks = story.now, []
    while len(ticks) < 25:
        change = story.announcer.next_change(now)
        if change is None:
            break
        assert change > now
        ticks.append(change - story.now)
        now = change
    assert ticks == pytest.approx([float(n) for n in range(1, 21)])  # 19 … 0, then nothing


def test_a_warning_stands_above_a_claim_until_the_discard() -> None:
    story = Story()
    story.deal()
    story.tell(ev.TimeWarned(actor=0, what="first_discard", seconds=3), after=17)
    assert story.kind() == "hurry"
    assert block(story.screen(), Countdown).seconds == 3
    assert story.said() == ["还有3秒"]
    story.tell(ev.Alerted(code="over_time", seat=0), after=3)
    assert story.kind() == "offence_seat"
    assert "时间到" in words(story.screen())
    story.tell(ev.TileDiscarded(actor=0, pai=Tile.S2))
    assert story.kind(LIFETIME["offence_seat"]) == "turn"


def test_a_claim_is_echoed_once_and_the_clock_comes_back() -> None:  # J19, J113
    story = Story()
    story.deal()
    story.tell(ev.TileDiscarded(actor=0, pai=Tile.S3))
    story.tell(ev.ClaimCalled(actor=1, claim="pung"), after=0.5)
    assert story.kind() == "claim"
    assert words(story.screen()).endswith("南家 碰")
    story.tell(ev.PungMade(actor=1, target=0, pai=Tile.S3, consumed=(Tile.S3, Tile.S3)), after=0.5)
    assert story.said() == ["碰"]
    assert story.kind(LIFETIME["claim"]) == "turn"
    assert block(story.screen(LIFETIME["claim"]), Countdown).seat == "南家"


@pytest.mark.parametrize("claim", ["pass", "call", "dice", "show"])
def test_keys_that_are_no_claims_are_not_echoed(claim: str) -> None:
    story = Story()
    story.deal()
    story.tell(ev.TileDiscarded(actor=0, pai=Tile.S3))
    story.tell(ev.ClaimCalled(actor=1, claim=claim))
    assert story.kind() == "turn"
    assert story.said() == []


@pytest.mark.parametrize("texts", [ZH, EN], ids=LANGUAGES)
@pytest.mark.parametrize("tile", PLAYABLE, ids=str)
def test_the_name_of_a_discard_is_never_shown_or_said(tile: Tile, texts: Any) -> None:  # J19
    story = Story()
    story.deal()
    story.tell(ev.TileDiscarded(actor=0, pai=tile))
    screens = [story.screen(texts=texts)]
    story.tell(ev.ClaimCalled(actor=2, claim="pung"))
    screens.append(story.screen(texts=texts))
    story.tell(ev.PungMade(actor=2, target=0, pai=tile, consumed=(tile, tile)))
    screens += [story.screen(later, texts=texts) for later in (0, 5, 9)]
    story.tell(ev.TileDiscarded(actor=2, pai=tile))
    screens.append(story.screen(texts=texts))
    told = [words(screen) for screen in screens] + story.said(texts)
    names = {tile.name_zh, tile.name_en, tile.code} - set("ESWN")  # letters of winds stand for seats
    for text in told:
        assert not any(name in text.split() or (len(name) > 1 and name in text) for name in names), text


def test_a_discard_is_named_aloud_only_where_the_rules_want_it() -> None:  # J19
    story = Story(options={"announce_discards": True})
    story.deal()
    story.tell(ev.TileDiscarded(actor=0, pai=Tile.S2))
    assert story.said() == ["二条"]
    assert "二条" not in words(story.screen())


def test_the_tiles_left_in_the_wall_are_not_shown() -> None:  # J12
    story = Story()
    story.deal()
    story.tell(ev.TileDiscarded(actor=0, pai=Tile.S2))
    hand = story.table.game.hand
    assert hand is not None
    assert hand.wall_left == 91  # J6
    assert "91" not in words(story.screen())


# --- payments, offences, rulings


def test_a_kong_is_paid_at_once_with_the_amounts() -> None:  # J62, J113
    story = Story()
    story.deal()
    story.tell(ev.TileDiscarded(actor=0, pai=Tile.EAST))
    story.tell(ev.ExposedKongMade(actor=2, target=0, pai=Tile.EAST, consumed=(Tile.EAST,) * 3))
    story.tell(ev.PointsPaid(reason="exposed_kong", deltas=(-12, 0, 12, 0), actor=2, target=0), after=0)
    screen = story.screen()
    assert (screen.kind, screen.header) == ("payment", "西家 明杠")
    assert block(screen, Grid).cells == (("东", "-12"), ("南", "0"), ("西", "+12"), ("北", "0"))
    assert story.said() == ["杠", "明杠，东家付12，西家得12"]
    assert story.kind(LIFETIME["payment"]) == "turn"


def test_a_payment_beside_the_table_is_shown_with_its_amounts() -> None:  # J76
    story = Story()
    story.deal()
    story.tell(ev.PointsPaid(reason="concealed_kong", deltas=(0, 0, 0, 0), off_board=(18, -6, -6, -6), actor=0))
    assert block(story.screen(), Grid).cells[0] == ("东", "+18")


def test_a_penalty_is_shown_but_not_said() -> None:  # J113 lists what is said
    story = Story()
    story.deal()
    story.tell(ev.PointsPaid(reason="penalty", deltas=(-10, 10, 0, 0)))
    assert story.screen().header == "罚分"
    assert story.said() == []


def test_an_offence_is_told_in_neutral_words_for_a_while() -> None:  # J121
    story = Story()
    story.deal()
    story.tell(ev.Alerted(code="draw_out_of_turn", seat=2, detail="5m"))
    assert words(story.screen()) == "提示 西家 还没轮到您抓牌"
    assert story.said() == ["还没轮到您抓牌"]
    assert story.kind(LIFETIME["offence_seat"]) == "turn"


@pytest.mark.parametrize("code", ["wrong_tile_count", "false_win", "tile_exposed"])
def test_what_is_for_the_console_only_is_not_shown(code: str) -> None:  # J122, J126, J133
    story = Story()
    story.deal()
    story.tell(ev.Alerted(code=code, seat=2))
    assert story.kind() == "turn"
    assert story.said() == []


def test_a_ruling_takes_the_hint_away() -> None:
    story = Story()
    story.deal()
    story.tell(ev.Alerted(code="draw_out_of_turn", seat=2))
    story.tell(ev.Ruled(do="dismiss", by="referee", alert=story.table.last_seq), after=0.5)
    assert story.kind() == "turn"


def test_a_pause_covers_the_clock_and_the_clock_goes_on_after_it() -> None:
    story = Story()
    story.deal()
    story.tell(ev.Ruled(do="pause", by="referee"), after=5)
    assert story.kind() == "paused"
    story.tell(ev.Ruled(do="resume", by="referee"), after=100)
    assert story.kind() == "turn"
    assert block(story.screen(), Countdown).seconds == 15


# --- the end


def test_a_win_waits_for_the_referee_and_its_value_is_shown_after_the_confirmation() -> None:  # J107
    story = Story()
    story.deal()
    story.declare()
    for later in (0, 60, 600):
        screen = story.screen(later)
        assert screen.kind == "proposed"
        assert words(screen) == "东圈 第1盘 东家 自摸 等待裁判确认"
    assert story.said() == ["自摸"]
    story.win()
    assert story.kind() == "win"
    assert block(story.screen(), Rows).rows == (("清龙", "10"), ("门清", "8"))
    assert block(story.screen(), Rows).total == ("合计", "18 番")
    assert block(story.screen(), Grid).cells == (("东", "+54"), ("南", "-18"), ("西", "-18"), ("北", "-18"))
    assert story.said() == ["东家自摸，清龙10番，门清8番，共18番。东家得54，南家付18，西家付18，北家付18"]
    assert story.said(EN) == []


def test_what_is_paid_is_named_in_cards() -> None:  # mcr T54
    story = Story(rules="mcr")
    story.deal()
    story.declare()
    story.win(deltas=(92, -30, -31, -31))
    (cards,) = story.screen().pages[2]
    assert isinstance(cards, Rows)
    assert cards.rows == (("南", "3×10"), ("西", "3×10 1×1"), ("北", "3×10 1×1"))


def test_what_is_paid_is_named_in_tickets() -> None:  # zhenjiang Z605
    story = Story(rules="zhenjiang")
    story.deal()
    story.tell(
        ev.PointsPaid(reason="added_kong", deltas=(-2, 6, -2, -2), off_board=None, actor=1, target=None, extra={})
    )
    assert "每家 2×1" in words(story.screen())
    story.tell(ev.PointsPaid(reason="chan", deltas=(-12, 14, -2, 0), off_board=None, actor=1, target=None, extra={}))
    assert "×" not in words(story.screen())  # too much for a line: it comes after the amounts
    assert "东 1×10 2×1 西 2×1" in words(story.screen(LIFETIME["payment"]))
    assert "E 1×10 2×1 W 2×1" in words(story.screen(LIFETIME["payment"], texts=EN))


def test_who_gives_change_is_shown_where_a_payer_has_not_the_tickets() -> None:  # zhenjiang Z605
    story = Story(rules="zhenjiang")
    story.deal()

    def pay(*deltas: int, seat: int = 3) -> str:
        a, b, c, d = deltas
        story.tell(ev.PointsPaid(reason="exposed_kong", deltas=(a, b, c, d), actor=seat))
        return words(story.screen())

    assert "东 9×1" in pay(-9, 0, 0, 9)
    assert "东 1×10 北找1×1" in pay(-9, 0, 0, 9)
    assert "E 1×10, N gives 1×1" in words(story.screen(texts=EN))
    assert "南 9×1" in pay(0, -9, 9, 0, seat=2)
    assert "南 7×1 先与西换" in pay(7, -7, 0, 0, seat=0)
    assert "S 7×1, W changes first" in words(story.screen(texts=EN))


def test_the_second_of_two_winners_is_paid_with_what_the_first_left() -> None:  # zhenjiang Z605
    story = Story(rules="zhenjiang")
    story.deal()
    wins = [
        ev.HandWon(actor=actor, target=0, pai=Tile.S2, fans={}, score=9, deltas=deltas)
        for actor, deltas in ((1, (-9, 9, 0, 0)), (2, (-9, 0, 9, 0)))
    ]
    story.declare(1, 0)
    story.declare(2, 0)
    for win in wins:  # one agreement confirms both, and both are told after it
        story.table.apply(win)
    for win in wins:
        story.announcer.event(win, story.now)
    shown = [block for later in (0, 13) for page in story.screen(later).pages for block in page]
    cards = [rows.rows for rows in shown if isinstance(rows, Rows) and rows.rows and rows.rows[0][0] == "东"]
    assert cards == [(("东", "9×1"),), (("东", "1×10 西找1×1"),)]


def test_the_ranking_is_told_once_the_referee_has_confirmed_it() -> None:  # zhenjiang Z611, Z612
    story = Story(rules="zhenjiang")
    story.deal()
    story.tell(ev.HandDrawn(reason="exhausted", deltas=(0, 0, 0, 0)))
    story.end(deltas=(0, 0, 0, 0))
    story.said()
    story.tell(ev.MatchEnded(reason="circles", scores=START, ranks=(1, 1, 1, 1)))
    assert story.kind(3600) == "game_over"
    assert story.said() == ["比赛结束，圈数打满。请在座位上等裁判确认成绩"]
    again = Announcer(story.table, ZH)  # the table is started again meanwhile
    bus, clock = Bus(), HandClock(story.now)
    again.listen(bus, clock, FaultLatch(bus, clock))
    assert again.current(View(ZH), story.now).kind == "game_over"
    story.tell(ev.Ruled(do="confirm", by="referee"))
    assert story.kind() == "game_end"
    assert story.said()[0].startswith("本局结束")


def test_where_points_are_only_written_down_nothing_is_handed_over() -> None:
    story = Story()
    story.deal()
    story.declare()
    story.win()
    assert len(story.screen().pages) == 2
    assert "×" not in words(story.screen())


def test_a_win_that_falls_leaves_no_trace_of_its_value() -> None:
    story = Story()
    story.deal()
    story.declare()
    story.tell(ev.WinWithdrawn(actor=0, reason="refused"))
    assert story.kind() == "turn"
    assert "清龙" not in words(story.screen())


def test_the_pages_of_a_result_turn_by_themselves() -> None:
    story = Story()
    story.deal()
    story.declare()
    story.win()
    assert [story.screen(later).page for later in (0, PAGE_SECONDS - 0.1, PAGE_SECONDS, 2 * PAGE_SECONDS)] == [
        0,
        0,
        1,
        2,
    ]
    assert story.announcer.next_change(story.now) == pytest.approx(story.now + PAGE_SECONDS)


def test_totals_follow_the_result_with_dealer_and_changes() -> None:
    story = Story()
    story.deal()
    story.declare()
    story.win()
    story.end()
    assert story.kind() == "win"
    screen = story.screen(LIFETIME["win"])
    assert screen.kind == "totals"
    assert block(screen, Rows).rows == (
        ("东庄", "张伟", "154", "+54"),
        ("南", "王芳", "82", "-18"),
        ("西", "李娜", "82", "-18"),
        ("北", "刘洋", "82", "-18"),
    )


def test_a_players_own_display_shows_differences_to_the_others() -> None:
    story = Story()
    story.deal()
    story.declare()
    story.win()
    story.end()
    rows = block(story.screen(LIFETIME["win"], seat=2), Rows).rows
    assert rows[0] == ("西", "李娜", "82", "0")
    assert rows[2] == ("东庄", "张伟", "154", "+72")


def test_several_winners_are_shown_one_after_another() -> None:  # J47
    story = Story()
    story.deal()
    story.tell(ev.TileDiscarded(actor=0, pai=Tile.S3))
    for seat in (1, 3):
        story.declare(seat, 0)
    assert story.kind() == "proposed"
    story.win(1, 0, (-36, 36, 0, 0))
    story.win(3, 0, (-36, 0, 0, 36))
    assert story.screen().header == "南家 和"
    assert story.screen(12).header == "北家 和"


def test_an_exhaustive_draw() -> None:
    story = Story()
    story.deal()
    story.tell(ev.HandDrawn(reason="exhausted", deltas=(0, 0, 0, 0)))
    assert "荒牌" in words(story.screen())
    assert story.said() == ["荒牌"]


def test_a_hand_ended_by_the_referee_says_why_and_is_no_exhaustive_draw() -> None:
    story = Story()
    story.deal()
    story.tell(ev.HandDrawn(reason="牌墙倒塌", deltas=(0, 0, 0, 0)))
    assert words(story.screen()) == "东圈 第1盘 本盘中止 牌墙倒塌"
    assert story.said() == []


@pytest.mark.parametrize("reason", ["referee", "false_win", "void"])
def test_a_code_of_the_table_is_no_reason_for_players(reason: str) -> None:
    story = Story()
    story.deal()
    story.tell(ev.HandDrawn(reason=reason, deltas=(0, 0, 0, 0)))
    assert words(story.screen()) == "东圈 第1盘 本盘中止"


def test_the_next_hand_clears_the_table_of_old_news() -> None:
    story = Story()
    story.deal()
    story.tell(ev.Alerted(code="wrong_break", seat=None))
    story.tell(ev.HandDrawn(reason="exhausted", deltas=(0, 0, 0, 0)))
    story.end((0, 0, 0, 0))
    story.open(hand=2, dealer=1)
    assert story.kind() == "walls_ready"


def test_five_minutes_left_and_the_last_hand() -> None:  # J98
    story = Story()
    story.deal()
    story.tell(ev.TimeWarned(actor=None, what="match", seconds=300))
    assert "还剩5分钟" in words(story.screen())
    story.tell(ev.TimeWarned(actor=None, what="match", seconds=0))
    assert "最后一盘" in words(story.screen())
    assert story.said() == ["还剩5分钟", "最后一盘"]
    assert story.kind(LIFETIME["last_hand"]) == "turn"


def test_the_end_of_a_game_ranks_the_seats_and_the_next_seats_follow() -> None:  # J97, J113
    story = Story()
    story.deal()
    story.declare()
    story.win()
    story.end()
    story.said()
    story.tell(ev.MatchEnded(reason="time", scores=(154, 82, 82, 82), ranks=(1, 2, 2, 2)))
    screen = story.screen()
    assert screen.kind == "game_end"
    assert block(screen, Rows).rows[0] == ("第1", "东", "张伟", "154")
    assert [row[0] for row in block(screen, Rows).rows] == ["第1", "第2", "第2", "第2"]
    later = story.screen(LIFETIME["game_end"])
    assert later.kind == "next_seats"
    assert [row[1] for row in block(later, Rows).rows] == ["王芳", "张伟", "刘洋", "李娜"]  # game 2: B A D C
    assert story.said() == [
        "本局结束，时间到。东家154分，南家82分，西家82分，北家82分",
        "下一局座位。东家王芳，南家张伟，西家刘洋，北家李娜",
    ]


# --- faults


def test_a_fault_stands_until_it_is_cleared_and_the_oldest_in_front() -> None:
    story = Story()
    story.deal()
    bus, clock = Bus(), HandClock(story.now)
    faults = FaultLatch(bus, clock)
    stop = story.announcer.listen(bus, clock, faults)
    faults.raise_fault("jam", "head.1", "tile crooked")
    faults.raise_fault("emergency_stop")
    screen = story.screen(3600)
    assert (screen.kind, screen.header, screen.tone) == ("fault", "故障 H02", "fault")
    assert "机头卡牌" in words(screen)
    assert "head.1" in words(screen)
    assert "下一步：关闭电源" in words(screen)
    assert "A head is jammed" in words(story.screen(texts=EN))
    assert story.said() == ["桌子有故障，请看显示屏"]
    faults.clear("H02", "referee")
    assert story.screen().header == "故障 E01"
    faults.clear("E01", "referee")
    assert story.kind() == "turn"
    stop()
    faults.raise_fault("emergency_stop")
    assert story.kind() == "turn"


def test_a_warning_of_the_machine_is_shown_for_a_while_and_once() -> None:
    story = Story()
    story.deal()
    bus, clock = Bus(), HandClock(story.now)
    faults = FaultLatch(bus, clock)
    story.announcer.listen(bus, clock, faults)
    faults.raise_fault("slow", "shuffle")
    assert story.screen().header == "提醒 D04"
    assert story.said() == []
    assert story.kind(LIFETIME["warning"]) == "turn"
    clock.set(story.now + 20)
    faults.raise_fault("undervoltage", "power")
    assert story.screen(20).header == "提醒 P01"


# --- switches, languages, marks


@pytest.mark.parametrize("kind", ["press_dice", "dice", "claim", "result"])
def test_each_kind_of_speech_can_be_switched_off(kind: str) -> None:  # J113
    def kinds(quiet: tuple[str, ...]) -> set[str]:
        story = Story(quiet)
        story.open()
        story.tell(ev.DiceThrown(actor=0, dice=(3, 4)))
        story.tell(ev.HandDealt(tehais=tuple(parse_tiles(hand) for hand in HANDS)))
        story.tell(ev.TileDrawn(actor=0, pai=Tile.S2))
        story.declare()
        story.win()
        return {speech.kind for speech in story.announcer.take_speech()}

    assert kinds(()) == {"press_dice", "dice", "claim", "result"}
    assert kinds((kind,)) == kinds(()) - {kind}


def test_a_simulated_table_is_marked_on_every_screen() -> None:
    story = Story(simulated=True)
    assert story.screen().badges == ("模拟", "模拟")
    story.deal()
    assert story.screen(texts=EN).badges == ("SIMULATED", "SIM")
    assert Story().screen().badges == ()


def test_an_undone_hand_is_taken_off_the_display() -> None:
    story = Story()
    story.deal()
    story.declare()
    story.win()
    story.end()
    story.tell(ev.Ruled(do="undo", by="referee"))
    assert "清龙" not in words(story.screen())
    assert story.kind() not in ("win", "totals")
