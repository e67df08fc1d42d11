# /// script
# requires-python = ">=3.11,<3.14"
# dependencies = ["openenv-quantum-circuit-env[gym]", "sb3-contrib>=2.6", "torch>=2.3"]
#
# [tool.uv]
# # PyTorch's index has no dates that a date could be compared with.
# exclude-newer-package = { torch = false }
#
# [tool.uv.sources]
# openenv-quantum-circuit-env = { path = "..", editable = true }
# torch = { index = "pytorch-cpu" }
#
# [[tool.uv.index]]
# name = "pytorch-cpu"
# url = "https://download.pytorch.org/whl/cpu"
# explicit = true
# ///
"""Train sb3-contrib's MaskablePPO on the batched game and report how it plays on circuits it has never seen.

    uv run examples/train_maskable_ppo.py

Only actions that are not legal are masked. What has been learnt is compared with random legal play and with
cancelling first on the same held-out circuits (`held_out.py`). The network looks at each gate with its
neighbours on the wires (`wire_windows.py`), the same weights for every gate, so that what it learns at one
place of the list holds at all. It is rewarded by the change of the grade, less a small cost for each step.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from held_out import Array, by_choice, by_policy, report
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableMultiInputActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv
from torch import nn
from wire_windows import MAX_GAP, NAMES, width, windows

from qrewrite.policies import cancel_first, random_legal
from qrewrite.tasks import SPLITS, TIERS
from quantum_circuit_env.gymnasium_envs import IDS

ENVS = 128
HIDDEN = 64
REACH = 5
REWARD_SCALE = 5.0
STEP_COST = 0.01


class Features:
    """Observations as the network takes them."""

    def __init__(self, task: str) -> None:
        self._wires = 2 if TIERS[task].two_qubit_gates else 1
        shape = (TIERS[task].gate_count, width(reach=REACH, wires=self._wires))
        self.space = spaces.Dict(
            {
                "gates": spaces.Box(0, MAX_GAP, shape, np.uint8),
                "episode": spaces.Box(0, 1, (2,), np.float32),
            }
        )

    def of(self, observations: dict[str, Array]) -> dict[str, Array]:
        """Return the features of observations, one a row."""
        gates = windows(observations["gates"], reach=REACH, wires=self._wires)
        return {"gates": gates, "episode": observations["episode"]}


class BatchedCircuits(VecEnv):
    """Our vector environment in the form that Stable-Baselines3 asks for.

    The limit of 150 steps is part of the game and observed, so that its truncations need no bootstrapping.
    """

    def __init__(self, task: str, envs: int) -> None:
        self._env = gymnasium.make_vec(IDS[task], num_envs=envs, reward="grade")
        self._features = Features(task)
        super().__init__(envs, self._features.space, self._env.single_action_space)
        self._seed: int | None = None
        self._actions: Array = np.zeros(envs, int)
        self.grades: list[float] = []

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seed the draws of the next reset."""
        self._seed = seed
        return [seed] * self.num_envs

    def reset(self) -> dict[str, Array]:
        """Begin anew everywhere."""
        observations, _ = self._env.reset(seed=self._seed)
        return self._features.of(observations)

    def step_async(self, actions: Array) -> None:
        """Take the actions of the next step."""
        self._actions = actions

    def step_wait(self) -> Any:
        """Play them; what has ended begins anew."""
        observations, rewards, terminated, truncated, infos = self._env.step(self._actions)
        done = terminated | truncated
        if done.any():
            self.grades += infos["final_info"]["score"][done].tolist()
        rewards = (REWARD_SCALE * rewards - STEP_COST).astype(np.float32)
        return self._features.of(observations), rewards, done, [{} for _ in range(self.num_envs)]

    def has_attr(self, attr_name: str) -> bool:
        """Say whether the vector environment has such an attribute."""
        return hasattr(self._env, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:  # noqa: ARG002
        """Return an attribute of the vector environment, once for each row."""
        return [getattr(self._env, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refuse: rows have no attributes of their own."""
        raise NotImplementedError

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:  # noqa: ARG002
        """Call a method whose result has one entry a row; `action_masks` is the one that is asked for."""
        return list(getattr(self._env, method_name)(*args, **kwargs))

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:  # noqa: ARG002
        """Say that there are no wrappers."""
        return [False] * self.num_envs

    def close(self) -> None:
        """Close the vector environment."""
        self._env.close()


class EachGate(BaseFeaturesExtractor):
    """The same two layers for each gate: (batch, rows · HIDDEN), 0 where there is no gate."""

    def __init__(self, space: spaces.Dict) -> None:
        rows, features = space["gates"].shape
        super().__init__(space, rows * HIDDEN)
        self.layers = nn.Sequential(
            nn.Linear(features + 2, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN), nn.ReLU()
        )

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return what is known of each gate."""
        gates = observations["gates"]
        episode = observations["episode"][:, None].expand(-1, gates.shape[1], -1)
        known = self.layers(torch.cat([gates, episode], dim=2))
        return (known * gates[:, :, :NAMES].sum(dim=2, keepdim=True)).flatten(1)


class Heads(nn.Module):
    """Passes the gates on to the actor, and their mean to the critic."""

    def __init__(self, rows: int) -> None:
        super().__init__()
        self.latent_dim_pi, self.latent_dim_vf = rows * HIDDEN, HIDDEN
        self.critic = nn.Sequential(nn.Linear(HIDDEN, HIDDEN), nn.ReLU())

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return what actor and critic get."""
        return self.forward_actor(features), self.forward_critic(features)

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        """Return what the actor gets."""
        return features

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        """Return what the critic gets."""
        return self.critic(features.unflatten(1, (-1, HIDDEN)).mean(dim=1))


class EachAction(nn.Module):
    """The same layers for each gate: one number for each of its actions."""

    def __init__(self, kinds: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(HIDDEN, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, kinds))

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return the logits, (batch, rows · kinds)."""
        return self.layers(features.unflatten(1, (-1, HIDDEN))).flatten(1)


class Policy(MaskableMultiInputActorCriticPolicy):
    """Actor and critic over the gates."""

    def _build_mlp_extractor(self) -> None:
        self._rows = self.observation_space["gates"].shape[0]
        self.mlp_extractor = Heads(self._rows)

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.action_net = EachAction(self.action_space.n // self._rows)
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)


def train(task: str, timesteps: int, seed: int) -> MaskablePPO:
    """Return the model after so many steps in all episodes together."""
    model = MaskablePPO(
        Policy,
        BatchedCircuits(task, ENVS),
        n_steps=32,
        batch_size=256,
        n_epochs=3,
        learning_rate=lambda left: 1e-3 * max(left, 0.05),
        gamma=0.99,
        gae_lambda=0.95,
        ent_coef=0.003,
        policy_kwargs={"features_extractor_class": EachGate, "ortho_init": False},
        seed=seed,
        device="cpu",
        verbose=0,
    )
    return model.learn(timesteps)


def main() -> None:
    """Train, play the held-out circuits, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--task", choices=TIERS, default="easy")
    parser.add_argument("--timesteps", type=int, default=400_000, help="steps of training (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the training (%(default)s)")
    parser.add_argument("--split", choices=("validation", "test"), default="test", help="what to report on")
    parser.add_argument("--out", type=Path, help="where to save the model, a .zip")
    asked = parser.parse_args()
    # More threads are no faster with a network of this size, and one makes the result reproducible.
    torch.set_num_threads(1)

    wall, cpu = perf_counter(), process_time()
    model = train(asked.task, asked.timesteps, asked.seed)
    spent = f"{process_time() - cpu:.0f} s of CPU time, {perf_counter() - wall:.0f} s of wall time"
    if asked.out:
        model.save(asked.out)

    features, seeds = Features(asked.task), SPLITS[asked.split].seeds

    def choose(observations: dict[str, Array], masks: Array) -> Array:
        return model.predict(features.of(observations), action_masks=masks, deterministic=True)[0]

    players = {
        "MaskablePPO": by_choice(asked.task, seeds, choose),
        "cancel-first": by_policy(asked.task, seeds, cancel_first),
        "random legal": by_policy(asked.task, seeds, random_legal),
    }
    print(report(asked.task, seeds, players))
    print(f"\n{model.num_timesteps:,} steps of training, seed {asked.seed}: {spent}")


if __name__ == "__main__":
    main()
