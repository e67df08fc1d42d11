"""Actions and reset arguments that must be refused, over the WebSocket and over HTTP alike."""

from qrewrite.circuits import MAX_GATES

BAD_ACTIONS: dict[str, dict[str, object]] = {
    "nothing": {},
    "no index": {"action_type": 1},
    "no type": {"target_index": 0},
    "a negative index": {"target_index": -1, "action_type": 1},
    "a boolean index": {"target_index": True, "action_type": 1},
    "an index as text": {"target_index": "1", "action_type": 1},
    "an index as a float": {"target_index": 1.0, "action_type": 1},
    "a null index": {"target_index": None, "action_type": 1},
    "an index in a list": {"target_index": [1], "action_type": 1},
    "type 0": {"target_index": 0, "action_type": 0},
    "type 5": {"target_index": 0, "action_type": 5},
    "a huge type": {"target_index": 0, "action_type": 10**900},
    "a negative type": {"target_index": 0, "action_type": -1},
    "a boolean type": {"target_index": 0, "action_type": True},
    "a type as text": {"target_index": 0, "action_type": "cancel"},
    "a type as a float": {"target_index": 0, "action_type": 1.0},
    "an unknown key": {"target_index": 0, "action_type": 1, "score": 0.99},
    "an unhashable `type`": {"target_index": 0, "action_type": 1, "type": []},
    "a key called self": {"target_index": 0, "action_type": 1, "self": 1},
    "metadata that is no object": {"target_index": 0, "action_type": 1, "metadata": 1},
    "a long text": {"target_index": "1" * 1_000_000, "action_type": 1},
    "a hundred unknown keys": {f"{'k' * 900}{number}": 1 for number in range(100)},
}

GATE = {"name": "H", "target_qubits": [0]}
BAD_RESETS: dict[str, tuple[dict[str, object], str]] = {
    "a negative seed": ({"seed": -1}, "seed must be an integer in 0..4294967295"),
    "a seed too large": ({"seed": 2**32}, "seed must be an integer in 0..4294967295"),
    "a seed of 900 digits": ({"seed": 10**900}, "seed must be an integer in 0..4294967295"),
    "a seed as text": ({"seed": "42"}, "seed must be an integer in 0..4294967295"),
    "a boolean seed": ({"seed": True}, "seed must be an integer in 0..4294967295"),
    "a float seed": ({"seed": 1.0}, "seed must be an integer in 0..4294967295"),
    "a seed in a list": ({"seed": [1]}, "seed must be an integer in 0..4294967295"),
    "an unknown task": ({"task": "extreme"}, "the tasks are easy, medium, hard and random"),
    "a task as a number": ({"task": 1}, "the tasks are easy, medium, hard and random"),
    "a task in a list": ({"task": ["easy"]}, "the tasks are easy, medium, hard and random"),
    "a task in capitals": ({"task": "EASY"}, "the tasks are easy, medium, hard and random"),
    "hints as text": ({"hints": "yes"}, "hints must be true or false"),
    "hints as a number": ({"hints": 1}, "hints must be true or false"),
    "null hints": ({"hints": None}, "hints must be true or false"),
    "an id as a number": ({"episode_id": 5}, "episode_id must be a string of at most 255 characters"),
    "an id too long": ({"episode_id": "x" * 256}, "episode_id must be a string of at most 255 characters"),
    "an unknown key": (
        {"difficulty": 1},
        "arguments are seed, episode_id, task, hints, plans, circuit, num_qubits, split, index",
    ),
    "a key called self": (
        {"self": 1},
        "arguments are seed, episode_id, task, hints, plans, circuit, num_qubits, split, index",
    ),
    "a key called options": ({"options": {}}, "arguments are seed, episode_id, task, hints"),
    "a key of 100,000 characters": ({"k" * 100_000: 1}, "arguments are seed, episode_id, task, hints"),
    "a split without an index": ({"split": "test"}, "index must be an integer from 0"),
    "an index without a split": ({"index": 0}, "split must be one of train, validation, test"),
    "an unknown split": ({"split": "dev", "index": 0}, "the splits are train, validation, test"),
    "a split in capitals": ({"split": "TEST", "index": 0}, "the splits are train, validation, test"),
    "a split in a list": ({"split": ["test"], "index": 0}, "the splits are train, validation, test"),
    "a negative index": ({"split": "test", "index": -1}, "index must be an integer in 0..599 for split test"),
    "an index too large": ({"split": "test", "index": 600}, "index must be an integer in 0..599"),
    "an index of 900 digits": ({"split": "train", "index": 10**900}, "integer in 0..29999 for split train"),
    "an index as text": ({"split": "test", "index": "1"}, "index must be an integer in 0..599"),
    "a boolean index": ({"split": "test", "index": True}, "index must be an integer in 0..599"),
    "an index as a float": ({"split": "test", "index": 1.0}, "index must be an integer in 0..599"),
    "a split and a task": (
        {"split": "test", "index": 1, "task": "easy"},
        "task and split with index exclude each other",
    ),
    "a split and a seed": (
        {"split": "test", "index": 1, "seed": 0},
        "seed and split with index exclude each other",
    ),
    "a split and a circuit": (
        {"split": "test", "index": 1, "circuit": [], "num_qubits": 1},
        "circuit and split with index exclude each other",
    ),
    "an index and a seed": ({"index": 1, "seed": 1}, "seed and split with index exclude each other"),
    "a time-out": ({"timeout_s": 1.0}, "arguments are seed, episode_id, task, hints"),
    "qubits without a circuit": ({"num_qubits": 2}, "num_qubits must come with circuit"),
    "a circuit without qubits": ({"circuit": [GATE]}, "num_qubits must be an integer in 1..64"),
    "a circuit on 65 qubits": (
        {"circuit": [GATE], "num_qubits": 65},
        "num_qubits must be an integer in 1..64",
    ),
    "a circuit on no qubits": ({"circuit": [], "num_qubits": 0}, "num_qubits must be an integer in 1..64"),
    "qubits as a boolean": (
        {"circuit": [GATE], "num_qubits": True},
        "num_qubits must be an integer in 1..64",
    ),
    "a circuit and a seed": (
        {"circuit": [GATE], "num_qubits": 1, "seed": 1},
        "seed and circuit exclude each other",
    ),
    "a circuit graded at random": (
        {"circuit": [GATE], "num_qubits": 1, "task": "random"},
        "graded as one of easy, medium, hard",
    ),
    "a circuit as text": (
        {"circuit": "H 0", "num_qubits": 1},
        "circuit must be a list of at most 10000 gates",
    ),
    "a circuit as an object": ({"circuit": {"0": GATE}, "num_qubits": 1}, "circuit must be a list"),
    "a circuit of 10,001 gates": (
        {"circuit": [GATE] * (MAX_GATES + 1), "num_qubits": 1},
        "at most 10000 gates, got 10001",
    ),
    "a gate that is no object": ({"circuit": [1], "num_qubits": 1}, "gate 0"),
    "a gate without qubits": ({"circuit": [GATE, {"name": "H"}], "num_qubits": 1}, "gate 1"),
    "a gate with more keys": ({"circuit": [{**GATE, "angle": 1}], "num_qubits": 1}, "gate 0"),
    "an unknown gate": (
        {"circuit": [{"name": "T", "target_qubits": [0]}], "num_qubits": 1},
        "the gates are H, X, Y, Z, CNOT, CZ, SWAP",
    ),
    "a gate name of a million characters": (
        {"circuit": [{"name": "T" * 1_000_000, "target_qubits": [0]}], "num_qubits": 1},
        "gate 0",
    ),
    "a gate name that is a list": (
        {"circuit": [{"name": ["H"], "target_qubits": [0]}], "num_qubits": 1},
        "gate 0",
    ),
    "a gate on a boolean": (
        {"circuit": [{"name": "H", "target_qubits": [False]}], "num_qubits": 1},
        "gate 0",
    ),
    "a gate on a float": ({"circuit": [{"name": "H", "target_qubits": [0.0]}], "num_qubits": 1}, "gate 0"),
    "a gate on text": ({"circuit": [{"name": "H", "target_qubits": "0"}], "num_qubits": 1}, "gate 0"),
    "a gate outside the circuit": (
        {"circuit": [{"name": "H", "target_qubits": [1]}], "num_qubits": 1},
        "gate 0",
    ),
    "a gate below the circuit": (
        {"circuit": [{"name": "H", "target_qubits": [-1]}], "num_qubits": 1},
        "gate 0",
    ),
    "a gate on one qubit twice": (
        {"circuit": [{"name": "CZ", "target_qubits": [1, 1]}], "num_qubits": 2},
        "2 distinct qubits",
    ),
    "a gate on a thousand qubits": (
        {"circuit": [{"name": "H", "target_qubits": list(range(1000))}], "num_qubits": 2},
        "gate 0",
    ),
}
