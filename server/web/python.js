// The episode as a Python program.

import { ROOT } from "./facts.js";

/** Return a program that plays the actions with the typed client. */
export function program(episode) {
  const played = episode.actions.slice(0, episode.cursor).map(([index, type]) => `(${index}, ${type})`);
  const list = played.length === 1 ? `${played[0]},` : played.join(", ");
  return `from quantum_circuit_env import QuantumCircuitAction, QuantumCircuitEnv

with QuantumCircuitEnv(base_url=${JSON.stringify(ROOT.href.replace(/\/$/, ""))}).sync() as env:
    result = env.reset(task=${JSON.stringify(episode.task)}, seed=${episode.seed})
    for index, action_type in [${played.length ? list : ""}]:
        result = env.step(QuantumCircuitAction(target_index=index, action_type=action_type))
    print(result.observation.metadata["score"])
`;
}
