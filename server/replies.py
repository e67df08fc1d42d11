"""Replies to steps, written as JSON to the letter as OpenEnv writes them, at a fraction of the cost."""

import json
from collections.abc import Iterable
from typing import Final

from quantum_circuit_env.models import ObservationMetadata


def observation_frame(
    metadata: ObservationMetadata,
    gates: Iterable[str],
    *,
    gate_count: int,
    num_qubits: int,
    prompt: str,
    reward: float,
    done: bool,
) -> str:
    """Return the frame with which OpenEnv answers a step.

    Args:
        metadata: the observation's.
        gates: the circuit's gates as JSON.
        gate_count: as in the observation.
        num_qubits: as in the observation.
        prompt: the observation's, as a JSON string.
        reward: as in the observation.
        done: as in the observation.
    """
    told = _metadata(metadata)
    return (
        f'{{"type":"observation","data":{{"observation":{{"metadata":{told},"circuit":[{",".join(gates)}],'
        f'"gate_count":{gate_count},"num_qubits":{num_qubits},"prompt":{prompt}}},'
        f'"reward":{reward!r},"done":{_BOOLEAN[done]},"metadata":{told}}}}}'
    )


def _metadata(fields: ObservationMetadata) -> str:
    # No string in it has anything that JSON would escape: all are words of ours.
    seed, par, termination = fields["seed"], fields["par"], fields["termination"]
    legality = fields["legality"]
    plan = f',"plan":{_encode(fields["plan"])}' if "plan" in fields else ""
    return (
        f'{{"task":"{fields["task"]}","initial_count":{fields["initial_count"]},"step":{fields["step"]},'
        f'"seed":{"null" if seed is None else seed},'
        f'"used_advanced_actions":{_BOOLEAN[fields["used_advanced_actions"]]},'
        # Joined and not formatted, since formatting a member of an enumeration costs more than all else here.
        '"action_result":"'
        + fields["action_result"]
        + '","termination":'
        + ("null" if termination is None else '"' + termination + '"')
        + f',"score":{fields["score"]!r},"par":{"null" if par is None else par},'
        f'"game_version":"{fields["game_version"]}",'
        f'"legality":{"null" if legality is None else _encode(legality)}{plan}}}'
    )


_BOOLEAN: Final = ("false", "true")
_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
