"""Many sessions at once: each has its own episode, and a session that is gone frees its place."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from threading import Barrier
from typing import Any

from support.hostile import drop, frame
from support.scrapes import scraped, total
from support.servers import serving
from support.sockets import Session, opened_by_hand, session
from support.waiting import within

CAPACITY = 256
"""Sessions of a server with its default settings."""


def _actions(seed: int, count: int) -> list[tuple[int, int]]:
    draw = Random(seed)
    return [(draw.randrange(24), draw.randint(1, 4)) for _ in range(count)]


def _alone(server_url: str, task: str, seed: int, count: int) -> list[dict[str, Any]]:
    with session(server_url) as one:
        return [one.reset(task=task, seed=seed), *(one.step(*action) for action in _actions(seed, count))]


def test_two_interleaved_sessions_are_equal_to_two_alone(server_url: str) -> None:
    with session(server_url) as one, session(server_url) as two:
        frames = [(one.reset(task="easy", seed=1), two.reset(task="medium", seed=2))]
        frames += [
            (one.step(*first), two.step(*second))
            for first, second in zip(_actions(1, 30), _actions(2, 30), strict=True)
        ]
    assert [first for first, _ in frames] == _alone(server_url, "easy", 1, 30)
    assert [second for _, second in frames] == _alone(server_url, "medium", 2, 30)


def test_sixty_four_sessions_play_at_once(server_url: str) -> None:
    everybody = Barrier(64)

    def play(seed: int) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        with session(server_url) as one:
            everybody.wait(timeout=120)
            frames = [one.reset(task="easy", seed=seed % 4, episode_id=str(seed))]
            frames += [one.step(*action) for action in _actions(seed % 4, 10)]
            return frames, one.state()

    with ThreadPoolExecutor(64) as players:
        played = list(players.map(play, range(64)))
    expected = [_alone(server_url, "easy", seed, 10) for seed in range(4)]
    for seed, (frames, state) in enumerate(played):
        assert frames == expected[seed % 4]
        assert (state["episode_id"], state["step_count"]) == (str(seed), 10)


def _plays(server_url: str) -> bool:
    with session(server_url) as one:
        answer = one.ask({"type": "reset", "data": {"task": "easy", "seed": 1}})
    if answer["type"] == "error":
        assert answer["data"]["code"] == "CAPACITY_REACHED"
        return False
    return True


def test_dropped_sockets_free_their_places(server_url: str) -> None:
    for _ in range(2):
        # Twice 200 are more than there is room for, so the first 200 must be gone by the second time.
        raws = [opened_by_hand(server_url) for _ in range(200)]
        for number, raw in enumerate(raws):
            if number % 2:
                raw.close()
            else:
                drop(raw)
        assert within(60, lambda: _plays(server_url))
    assert within(60, lambda: _room_for(server_url, 100))


def _room_for(server_url: str, count: int) -> bool:
    raws = [opened_by_hand(server_url) for _ in range(count)]
    try:
        return _plays(server_url)
    finally:
        for raw in raws:
            raw.close()


def test_one_session_too_many_is_told_so_and_finds_a_place_later(server_url: str) -> None:
    raws = [opened_by_hand(server_url) for _ in range(CAPACITY)]
    try:
        with session(server_url) as one:
            refusal = one.hear()
        assert refusal["data"]["code"] == "CAPACITY_REACHED"
        assert refusal["data"]["max_sessions"] == CAPACITY
    finally:
        for raw in raws:
            raw.close()
    assert within(60, lambda: _plays(server_url))


def test_a_client_that_vanishes_in_the_midst_of_a_step_leaves_the_others_alone(server_url: str) -> None:
    with session(server_url) as one:
        one.reset(task="hard", seed=1)
        before = one.state()
        for _ in range(20):
            raw = opened_by_hand(server_url)
            raw.sendall(frame(b'{"type": "reset", "data": {"task": "hard", "seed": 2}}'))
            drop(raw)
        assert one.state() == before


def test_sessions_do_not_share_what_they_are_shown(server_url: str) -> None:
    def first(one: Session) -> dict[str, Any]:
        return one.reset(task="easy", seed=7)

    with session(server_url) as one, session(server_url) as two:
        assert first(one) == first(two)
        one.step(0, 1)
        assert first(two) == first(one)


def test_several_workers_start_a_session_stays_with_one_and_each_tells_the_counts_of_all(
    tmp_path: Path,
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    variables = {"WORKERS": "2", "TMPDIR": str(shared)}
    with serving(tmp_path, variables=variables) as url:
        with session(url) as one, session(url) as two:
            assert one.reset(task="easy", seed=1) == two.reset(task="easy", seed=1)
            for action in _actions(3, 10):
                assert one.step(*action) == two.step(*action)
            # Whichever worker answers, and as soon as the second one serves too.
            assert within(60, lambda: scraped(url)["quantum_circuit_workers"] == 2)
            for _ in range(4):
                counts = scraped(url)
                assert counts["quantum_circuit_sessions"] == 2
                assert counts["quantum_circuit_sessions_max"] == 2 * CAPACITY
                assert total(counts, "quantum_circuit_steps_total") == 20
            assert sum(name.startswith("process_resident_memory_bytes{") for name in counts) == 2
        assert within(60, lambda: scraped(url)["quantum_circuit_sessions"] == 0)
        assert len(list(shared.glob("quantum-circuit-env-*/*.counts"))) == 2
    assert list(shared.iterdir()) == []
