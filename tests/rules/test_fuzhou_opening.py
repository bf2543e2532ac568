"""福州麻将: wins on dealt tiles – heavenly, three golds, robbing the gold – and who goes first (T306–T312)."""

from __future__ import annotations

from typing import Any

from rule_hands import HandOf, SeatOf, situation, win

from tablectl.rules.api import Discard, How, Incident
from tablectl.rules.registry import load
from tablectl.tiles.notation import parse_melds, parse_tile, parse_tiles
from tablectl.tiles.tile import Tile

RULES = load("fuzhou")
READY = "123m456m789m111p99p35s"  # 4s completes it, or any gold
NOTHING = "1379m12458p134679s2m"


def opened(indicator: str, *hands: str, discards: int = 0, **more: Any) -> HandOf:
    """The indicator lies: standing tiles by seat, seat 0 deals; seats left out hold nothing much."""
    seats = [SeatOf(standing=list(parse_tiles(text))) for text in hands]
    seats += [SeatOf(standing=list(parse_tiles(NOTHING))) for _ in range(4 - len(seats))]
    lying = [Discard(0, Tile.S1)] * discards
    return HandOf(seats=seats, indicator=parse_tile(indicator), discards=lying, **more)


def test_another_seat_robs_from_the_first_discard_on() -> None:  # T308
    dealer = NOTHING + "8p"
    assert RULES.opening_win(opened("4s", dealer, READY), 1) is None
    found = RULES.opening_win(opened("4s", dealer[:-2], READY, discards=1), 1)
    assert found is not None
    assert (found.tile, found.source, found.how) == (Tile.S4, None, {How.EARTHLY})
    assert sorted(found.concealed) == sorted(parse_tiles(READY))
    (verdict,) = RULES.settle(situation(found, indicator=Tile.S4)).verdicts
    assert (verdict.legal, dict(verdict.fans)) == (True, {"抢金": 30, "金": 1})


def test_the_right_ends_with_the_own_first_move() -> None:  # T308, T309
    table = opened("4s", NOTHING, READY, discards=1)
    table.discards.append(Discard(1, Tile.S1))
    assert RULES.opening_win(table, 1) is None
    melded = opened("4s", NOTHING, "123m456m789m111p99p35s"[:-6] + "99p", discards=1)
    melded.seats[1].melds = list(parse_melds("[111s,2]"))
    assert RULES.opening_win(melded, 1) is None
    drawn = opened("4s", NOTHING, READY + "8p", discards=1)
    assert RULES.opening_win(drawn, 1) is None
    assert RULES.opening_win(opened("4s", NOTHING, READY.replace("35s", "34s"), discards=1), 1) is not None  # wild
    assert RULES.opening_win(opened("4s", NOTHING, READY.replace("35s", "19s"), discards=1), 1) is None
    unnamed = opened("4s", NOTHING, READY, discards=1)
    unnamed.seats[1].standing[0] = None  # type: ignore[call-overload]
    assert RULES.opening_win(unnamed, 1) is None


def test_the_dealer_lays_out_one_tile() -> None:  # T307
    found = RULES.opening_win(opened("4s", READY + "8p"), 0)
    assert found is not None
    assert Tile.P8 not in found.concealed
    assert found.how == {How.EARTHLY}
    table = opened("4s", READY + "8p", discards=1)
    assert RULES.opening_win(table, 0) is None
    assert load("fuzhou", {"rob_gold": False}).opening_win(opened("4s", READY + "8p"), 0) is None


def test_the_dealers_complete_hand_is_an_ordinary_win() -> None:  # T306, T310
    assert RULES.opening_win(opened("8p", READY + "4s"), 0) is None


def test_the_dealer_keeps_the_golds_he_holds() -> None:  # T307, T309
    found = RULES.opening_win(opened("4s", "123m456m789m111p9p35s4s" + "8p"), 0)
    assert found is not None
    (verdict,) = RULES.settle(situation(found, indicator=Tile.S4)).verdicts
    assert dict(verdict.fans) == {"抢金": 30, "金": 2}


def test_others_are_asked_when_the_dealer_robs() -> None:  # T310
    table = opened("4s", READY + "8p", "123p456p789p222m88m67s")
    assert RULES.opening_win(table, 1) is None
    found = RULES.opening_win(table, 1, dealer_robs=True)
    mine = RULES.opening_win(table, 0)
    assert found is not None
    assert mine is not None
    settled = RULES.settle(situation(mine, found, indicator=Tile.S4))
    assert [verdict.reason for verdict in settled.verdicts] == ["outranked", None]
    assert settled.payments[1] > 0


def test_three_golds_in_the_opening() -> None:  # T302, T312, T317
    sixteen = "333m179m12458p13467s"
    table = opened("3m", NOTHING + "8p", sixteen)
    table.seats[1].flowers = list(parse_tiles("EP"))
    found = RULES.opening_win(table, 1)
    assert found is not None
    assert (len(found.concealed), found.tile, found.how) == (15, Tile.M3, {How.HUMAN})
    settled = RULES.settle(situation(found, indicator=Tile.M3))
    assert dict(settled.verdicts[0].fans) == {"三金倒": 40, "花": 2, "金": 3}
    assert settled.payments == (-50, 150, -50, -50)
    assert RULES.opening_win(opened("3m", NOTHING, sixteen, discards=1), 1) is None  # later: after a draw of his own


def test_fifteen_tiles_are_three_golds_in_the_opening_only() -> None:  # T302, T318.6
    for changed in ({"how": ()}, {"seat": 0}, {"source": 2}, {"concealed": "3m179m12458p134679s"}):
        given: dict[str, Any] = {"concealed": "33m179m12458p13467s", "seat": 1, "how": ["human"], "source": None}
        declared = win(tile="3m", **(given | changed))
        (verdict,) = RULES.settle(situation(declared, indicator=Tile.M3)).verdicts
        assert verdict.reason == "wrong_tile_count", changed


def test_robbing_with_three_golds() -> None:  # T312, T409
    ready = "123m456m789m19p777p45s"
    found = RULES.opening_win(opened("7p", NOTHING, ready, discards=1), 1)
    assert found is not None
    (verdict,) = RULES.settle(situation(found, indicator=Tile.P7)).verdicts
    assert dict(verdict.fans) == {"三金倒": 40, "金": 4}
    dealer = RULES.opening_win(opened("7p", ready + "9s"), 0)  # three golds win without robbing too, for less
    assert dealer is not None
    assert dealer.how == {How.EARTHLY}
    scattered = "333m179m12458p13467s" + "9s"
    assert RULES.opening_win(opened("3m", scattered), 0) is None  # his ordinary win by three golds


def test_three_golds_go_before_robbing() -> None:  # T310
    three = win("33m179m12458p13467s", "3m", seat=3, how=["human"])
    robs = win("123p456p789p222s88s67s", "3m", seat=1, how=["earthly"])
    settled = RULES.settle(situation(robs, three, indicator=Tile.M3))
    assert [verdict.reason for verdict in settled.verdicts] == ["outranked", None]
    heavenly = win("234m567m678p333p77s12s", "3s", seat=0, how=["heavenly"])
    settled = RULES.settle(situation(three, heavenly, indicator=Tile.M3))
    assert [verdict.reason for verdict in settled.verdicts] == ["outranked", None]


def test_a_dead_hand_robs_nothing() -> None:  # T701
    table = opened("4s", NOTHING, READY, discards=1, incidents=[Incident("dead_hand", 1)])
    assert RULES.opening_win(table, 1) is None


def test_no_other_system_has_such_wins() -> None:
    assert load("fujian").opening_win(opened("4s", NOTHING, READY, discards=1), 1) is None


def test_proof_says_what_was_counted_and_what_not() -> None:  # T304, T409
    declared = win("33m456m789m123p456p78s", "3m", seat=1, flowers="EEEEa")
    (verdict,) = RULES.settle(situation(declared, indicator=Tile.M3)).verdicts
    assert verdict.reading == "456m 789m 123p 456p 6*78s **"
    proof = {entry.name: entry for entry in verdict.proof}
    assert proof["金雀"].sets == ("**",)
    assert proof["金"].sets == ("333m",)
    assert proof["花"].sets == ("a",)
    assert proof["四同花"].sets == ("EEEE",)
    assert "金雀" in proof["三金倒"].refused
    assert sum(entry.value for entry in verdict.proof) == sum(verdict.fans.values())


def test_proof_of_an_ordinary_win() -> None:  # T312–T314
    melded = win("123m456m11p46p", "5p", melds="[7777s,2][2222s]", seat=2, source=1)
    proof = {entry.name: entry for entry in RULES.settle(situation(melded, indicator=Tile.S9)).verdicts[0].proof}
    assert (proof["明杠"].sets, proof["暗杠"].sets) == (("[7777s]",), ("[2222s]",))
    assert "平胡" not in proof  # two kongs: nobody would claim it
    one = win("123m456m789p11p46p", "5p", melds="[7777s,2]", seat=2, source=1)
    proof = {entry.name: entry for entry in RULES.settle(situation(one, indicator=Tile.S9)).verdicts[0].proof}
    assert "[7777s] spoils it" in proof["平胡"].refused
    golds = win("123m456m789s33p13s6s22p", "7s", seat=2, source=1, flowers="ab")
    proof = {entry.name: entry for entry in RULES.settle(situation(golds, indicator=Tile.P2)).verdicts[0].proof}
    assert "no reading" in proof["金雀"].refused
    three = win("22m123m456m13p79s4s888p", "6s", seat=0, source=3, flowers="W")
    proof = {entry.name: entry for entry in RULES.settle(situation(three, indicator=Tile.P8)).verdicts[0].proof}
    assert "by self-draw only" in proof["三金倒"].refused
    refused = win("123m456m789m234s678p5s", "2p", seat=1, source=2, flowers="N")
    strict = load("fuzhou", {"any_wait_self_draw_only": True})
    (verdict,) = strict.settle(situation(refused, indicator=Tile.S5)).verdicts
    assert (verdict.reason, verdict.fans, verdict.score) == ("any_wait_discard", {}, 0)
    assert verdict.proof


def test_proof_of_forms_that_do_not_hold() -> None:  # T312, T412
    robbed = win("123m456s789s99p24p8p66m", "6m", seat=3, flowers="b", how=["earthly"])
    proof = {entry.name: entry for entry in RULES.settle(situation(robbed, indicator=Tile.M6)).verdicts[0].proof}
    assert "the indicator is not the third" in proof["三金倒"].refused
    none = load("fuzhou", {"streak_in_special": "none"})
    plain = win("123m456m789m123p99s78s", "6s", seat=1, source=0)
    proof = {e.name: e for e in none.settle(situation(plain, indicator=Tile.S4, streak=2)).verdicts[0].proof}
    assert "no streak" in proof["抓庄"].refused
    scattered = win("13379m12458p134679s", "3m", seat=2)
    (verdict,) = RULES.settle(situation(scattered, indicator=Tile.M3)).verdicts
    assert verdict.reading == "133379m12458p134679s"
