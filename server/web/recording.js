// Recorded episodes as files: this page's own format, and the lines of an evaluation's episodes.jsonl.

import { GAME, RULES, TASKS } from "./facts.js";

const FORMAT = "quantum_circuit_env/episode/1";
const MOST_LINES = 20_000;

/** Something is wrong with a file; the message says what and what is allowed. */
export class BadRecording extends Error {}

/** Return the recorded episodes of a file's text, each {task, seed, actions, score, player}. */
export function parse(text) {
  const lines = text.trim().split("\n");
  if (lines.length > MOST_LINES) throw new BadRecording(`a file may have at most ${MOST_LINES} episodes`);
  const whole = lines.length > 1 ? attempt(text) : undefined;
  if (whole !== undefined) return [checked(whole, "")];
  return lines.map((line, at) => {
    const where = lines.length > 1 ? ` in line ${at + 1}` : "";
    const found = attempt(line);
    if (found === undefined) throw new BadRecording(`the file is not JSON${where}`);
    return checked(found, where);
  });
}

/** Return the text of a file with the episode as far as one has looked. */
export function write(episode, player) {
  return `${JSON.stringify({
    format: FORMAT,
    game_version: GAME.game_version,
    task: episode.task,
    seed: episode.seed,
    player,
    actions: episode.actions.slice(0, episode.cursor),
    score: episode.now.metadata.score,
  })}\n`;
}

function attempt(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function checked(found, where) {
  const wrong = (what) => {
    throw new BadRecording(`no recorded episode${where}: ${what}`);
  };
  if (found === null || typeof found !== "object" || Array.isArray(found)) wrong("it is no JSON object");
  const version = found.game_version ?? String(found.suite ?? "").split("/").at(-1);
  if (version !== GAME.game_version) {
    wrong(`it is of game version ${short(version)}, this server plays ${GAME.game_version}`);
  }
  const task = found.task ?? found.tier;
  if (!TASKS.includes(task)) wrong(`its task is ${short(task)}, not one of ${TASKS.join(", ")}`);
  if (!whole(found.seed, GAME.max_seed)) wrong(`its seed is ${short(found.seed)}, not an integer in 0..${GAME.max_seed}`);
  if (!Array.isArray(found.actions) || found.actions.length > GAME.step_limit) {
    wrong(`its actions are not a list of at most ${GAME.step_limit}`);
  }
  const types = RULES.map((rule) => rule.action_type);
  const actions = found.actions.map((action, at) => {
    const [index, type] = Array.isArray(action) ? action : [];
    if (!whole(index, Number.MAX_SAFE_INTEGER) || !types.includes(type)) {
      wrong(`action ${at} is ${short(action)}, not [target_index, action_type]`);
    }
    return [index, type];
  });
  if (typeof found.score !== "number") wrong("it has no score");
  return { task, seed: found.seed, actions, score: found.score, player: short(found.player ?? found.agent_id ?? "a player") };
}

const whole = (value, most) => Number.isInteger(value) && value >= 0 && value <= most;

const short = (value) => (typeof value === "string" ? value : String(JSON.stringify(value))).slice(0, 60);
