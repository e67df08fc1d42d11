"""The task API: which tasks there are, and that each is played by its split and index."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from qrewrite.circuits import SplitError
from qrewrite.tasks import GAME_VERSION, SPLITS, TIERS, task_at
from quantum_circuit_env.client import QuantumCircuitEnv
from quantum_circuit_env.server.bodies import MAX_RANGE
from quantum_circuit_env.server.environment import QuantumCircuitEnvironment
from quantum_circuit_env.server.task_api import LISTED
from support.sockets import session

COUNTS = {name: len(split) for name, split in SPLITS.items()}
PREFIX = "/quantum_circuit_env"


@pytest.fixture(scope="module")
def http(server_url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server_url, trust_env=False, timeout=60) as client:
        yield client


def ask(http: httpx.Client, question: str, **body: object) -> Any:
    return http.post(f"{PREFIX}/{question}", json=body).raise_for_status().json()


def test_the_server_lists_the_splits_with_their_counts(http: httpx.Client) -> None:
    assert http.get("/list_environments").json() == ["quantum_circuit_env"]
    splits = http.get(f"{PREFIX}/splits").raise_for_status().json()
    assert [(split["name"], split["type"]) for split in splits] == [(name, name) for name in SPLITS]
    assert {split["name"]: split["num_tasks"] for split in splits} == COUNTS
    assert {name: ask(http, "num_tasks", split=name)["num_tasks"] for name in SPLITS} == COUNTS


def test_a_task_is_told_in_full(http: httpx.Client) -> None:
    assert ask(http, "task", split="test", index=212)["task"] == {
        "id": "test/212",
        "split": "test",
        "index": 212,
        "task": "medium",
        "seed": 3_000_012,
        "num_qubits": 4,
        "gate_count": 32,
        "par": 8,
        "game_version": GAME_VERSION,
    }


@pytest.mark.parametrize("split", ["validation", "test"])
def test_the_small_splits_are_listed_whole(http: httpx.Client, split: str) -> None:
    tasks = ask(http, "tasks", split=split)["tasks"]
    assert [task["index"] for task in tasks] == list(range(COUNTS[split]))
    assert [(task["task"], task["seed"]) for task in tasks] == [
        task_at(split, i) for i in range(COUNTS[split])
    ]
    assert tasks == ask(http, "task_range", split=split)["tasks"]
    assert len({task["id"] for task in tasks}) == COUNTS[split]


def test_of_the_large_split_a_preview_of_every_tier_is_listed(http: httpx.Client) -> None:
    tasks = ask(http, "tasks", split="train")["tasks"]
    assert [task["task"] for task in tasks] == [name for name in TIERS for _ in range(LISTED)]
    assert all((task["task"], task["seed"]) == task_at("train", task["index"]) for task in tasks)


@pytest.mark.parametrize(
    ("start", "stop", "indices"),
    [(0, 3, range(3)), (598, None, range(598, 600)), (598, 700, range(598, 600)), (5, 5, range(0))],
)
def test_a_range_is_cut_as_a_slice_is(
    http: httpx.Client, start: int, stop: int | None, indices: range
) -> None:
    tasks = ask(http, "task_range", split="test", start=start, stop=stop)["tasks"]
    assert [task["index"] for task in tasks] == list(indices)


def test_a_fresh_environment_has_every_range_whole() -> None:
    tasks = QuantumCircuitEnvironment().get_task_range("train")
    assert [task["index"] for task in tasks] == list(range(COUNTS["train"]))


@pytest.mark.parametrize(
    ("question", "body", "status", "says"),
    [
        ("tasks", {"split": "dev"}, 400, "the splits are train, validation, test"),
        ("num_tasks", {"split": "dev"}, 400, "the splits are train, validation, test"),
        ("task", {"split": "dev", "index": 0}, 400, "the splits are train, validation, test"),
        ("task", {"split": "test", "index": -1}, 400, "index must be an integer in 0..599"),
        ("task", {"split": "test", "index": 600}, 400, "index must be an integer in 0..599"),
        ("task", {"split": "x" * 100_000, "index": 0}, 400, "the splits are"),
        ("task", {"split": "test", "index": "1"}, 422, "integer"),
        ("task", {"split": "test", "index": True}, 422, "integer"),
        ("task", {"split": "test", "index": 1.0}, 422, "integer"),
        ("task", {"split": "test"}, 422, "required"),
        ("task", {"split": 1, "index": 0}, 422, "string"),
        ("tasks", {"split": "test", "index": 0}, 422, "not permitted"),
        ("tasks", {}, 422, "required"),
        ("task_range", {"split": "dev"}, 400, "the splits are train, validation, test"),
        ("task_range", {"split": "test", "start": -1}, 400, "start must be null or an integer from 0"),
        ("task_range", {"split": "test", "stop": -1}, 400, "stop must be null or an integer from 0"),
        ("task_range", {"split": "test", "start": 5, "stop": 4}, 400, "start must be at most stop"),
        ("task_range", {"split": "test", "start": 601}, 400, "start must be at most stop and 600"),
        ("task_range", {"split": "test", "start": "0"}, 422, "integer"),
        ("task_range", {"split": "train"}, 400, "at most 1000 tasks are sent at a time"),
        ("task_range", {"split": "train", "start": 1, "stop": MAX_RANGE + 2}, 400, "ask for parts"),
    ],
)
@pytest.mark.parametrize("prefix", [PREFIX, PREFIX.title()])
def test_a_question_that_has_no_answer_is_told_what_is_allowed(
    http: httpx.Client, question: str, body: dict[str, object], status: int, says: str, prefix: str
) -> None:
    answer = http.post(f"{prefix}/{question}", json=body)
    assert answer.status_code == status
    assert says in answer.text
    assert len(answer.content) < 1_000


def test_an_unknown_environment_has_no_tasks(http: httpx.Client) -> None:
    assert http.post("/other/task", json={"split": "test", "index": 0}).status_code == 404


def test_in_process_an_unknown_split_or_index_is_an_index_error() -> None:
    env = QuantumCircuitEnvironment()
    for ask_env in (
        lambda: env.num_tasks("dev"),
        lambda: env.list_tasks("dev"),
        lambda: env.get_task("dev", 0),
        lambda: env.get_task("test", -1),
        lambda: env.get_task_range("dev"),
        lambda: env.get_task_range("test", -5, -1),
    ):
        with pytest.raises(SplitError) as caught:
            ask_env()
        assert isinstance(caught.value, IndexError)


@pytest.mark.parametrize(("split", "index"), [("test", 0), ("validation", 599), ("train", 15_000)])
def test_a_reset_by_split_and_index_is_that_by_task_and_seed(
    server_url: str, http: httpx.Client, split: str, index: int
) -> None:
    task, seed = task_at(split, index)
    told = ask(http, "task", split=split, index=index)["task"]
    with session(server_url) as one:
        by_index = one.reset(split=split, index=index, episode_id="same")
        state = one.state()
        assert by_index == one.reset(task=task, seed=seed, episode_id="same")
        assert state == one.state()
    assert http.post("/reset", json={"split": split, "index": index}).json() == by_index
    seen = by_index["observation"]
    assert (
        (seen["metadata"]["task"], seen["metadata"]["seed"]) == (task, seed) == (told["task"], told["seed"])
    )
    assert (seen["num_qubits"], seen["gate_count"], seen["metadata"]["par"]) == (
        told["num_qubits"],
        told["gate_count"],
        told["par"],
    )


def test_the_client_resets_by_split_and_index(server_url: str) -> None:
    task, seed = task_at("test", 0)
    with QuantumCircuitEnv(base_url=server_url).sync() as env:
        assert env.reset(split="test", index=0) == env.reset(task=task, seed=seed)


def test_a_split_and_an_index_of_null_are_not_given(server_url: str) -> None:
    with session(server_url) as one:
        expected = one.reset(task="easy", seed=1)
        assert one.reset(task="easy", seed=1, split=None, index=None) == expected
