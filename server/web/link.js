// The address of a circuit: ?task=hard&seed=13.

import { GAME, TASKS } from "./facts.js";

/** Return {task, seed} of the page's address, null if it names none, or an Error that says what is wrong. */
export function read(search) {
  const asked = new URLSearchParams(search);
  if (!asked.has("task") && !asked.has("seed")) return null;
  return chosen(asked.get("task") ?? "", asked.get("seed") ?? "");
}

/** Return {task, seed} of two texts, or an Error that says what is allowed. */
export function chosen(task, seed) {
  if (!TASKS.includes(task)) return new Error(`task must be one of ${TASKS.join(", ")}, got “${task.slice(0, 40)}”`);
  const number = /^[0-9]{1,10}$/.test(seed) ? Number(seed) : Infinity;
  if (number > GAME.max_seed) return new Error(`seed must be an integer in 0..${GAME.max_seed}, got “${seed.slice(0, 40)}”`);
  return { task, seed: number };
}

/** Return the whole address of a circuit. */
export function address(task, seed) {
  const url = new URL(location.href);
  url.search = new URLSearchParams({ task, seed: String(seed) }).toString();
  url.hash = "";
  return url.href;
}
