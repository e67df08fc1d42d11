// The playground: what the controls do.

import { Board } from "./board.js";
import { byId, copy, counted, element, say, signed } from "./dom.js";
import { Episode } from "./episode.js";
import { GAME, ROOT, RULES, TASKS } from "./facts.js";
import { isLegal, meaning, refusal } from "./legality.js";
import { address, chosen, read } from "./link.js";
import { Playback } from "./playback.js";
import { decide, PLAYERS } from "./players.js";
import { BadRecording, parse, write } from "./recording.js";
import { Lost, Session } from "./session.js";
import { makeActions, showActions, showEnd, showEpisode, showError } from "./view.js";

performance.mark("qc:files");

const START = { task: "medium", seed: 7 };
const REPLAY = "replay";
const DELAYS = [250, 500, 1000, 2000, 4000, 8000];

const session = new Session(resume);
const board = new Board(byId("circuit"), () => showActions(episode.now, board.selected));
const playback = new Playback(advance, () => 1000 / Number(byId("speed").value), showPlaying);
let episode = null;
let recorded = null; // what a loaded recording says of itself
let recordings = []; // those of the last file
let resuming = null; // under way, when the connection has been lost

// --- showing -----------------------------------------------------------------------------------------------

async function show() {
  const shown = episode;
  showEpisode(episode);
  const drawn = board.show(episode.now);
  showActions(episode.now, board.selected);
  await Promise.all([drawn, showEnd(episode)]);
  if (shown !== episode) return;
  showActions(episode.now, board.selected);
  document.body.dataset.steps = String(episode.cursor);
  setState(episode.now.done ? "done" : recorded && episode.cursor < episode.length ? "replaying" : "playing");
}

function setState(state) {
  document.body.dataset.state = state;
}

function showPlaying(running) {
  byId("play").textContent = running ? "Pause" : "Play";
  byId("play").setAttribute("aria-pressed", String(running));
}

/** Do work, again after a while whenever the connection is lost; other errors are shown. */
async function persist(work) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await work();
      showError("");
      return true;
    } catch (error) {
      if (!(error instanceof Lost)) {
        setState("error");
        showError(error.message);
        return false;
      }
      setState("connecting");
      say("status", `Connecting again: ${error.message}`);
      await new Promise((resolve) => setTimeout(resolve, DELAYS[Math.min(attempt, DELAYS.length - 1)]));
    }
  }
}

/** Bring a new connection to where the lost one was. */
function resume() {
  resuming ??= persist(async () => {
    if (!episode) return;
    await episode.resume();
    await show();
    say("status", "Connected again; the episode is where it was.");
  }).finally(() => {
    resuming = null;
  });
}

// --- episodes ----------------------------------------------------------------------------------------------

async function start(task, seed, actions = []) {
  playback.pause();
  setState("connecting");
  const next = new Episode(session, task, seed);
  const begun = await persist(() => (actions.length ? next.load(actions) : next.begin()));
  if (!begun) return false;
  episode = next;
  recorded = null;
  byId("task").value = task;
  byId("seed").value = String(seed);
  history.replaceState(null, "", address(task, seed));
  board.selected = null;
  await show();
  say("status", `${task}, seed ${seed}: ${counted(episode.first.gate_count, "gate")}, par ${episode.first.metadata.par}.`);
  return true;
}

function startChosen() {
  const found = chosen(byId("task").value, byId("seed").value.trim());
  if (found instanceof Error) showError(found.message);
  else start(found.task, found.seed);
}

async function play(action) {
  performance.mark("qc:click");
  await persist(() => episode.play(action));
  recorded = null;
  await show();
  performance.mark("qc:drawn");
  const { metadata, reward } = episode.now;
  say("status", `${signed(reward)}: ${meaning(metadata.action_result)}.`);
}

function playSelected(type) {
  const rule = RULES.find((one) => one.action_type === type);
  if (board.selected === null) return say("status", "Select a gate first.");
  if (episode.now.done) return say("status", `${GAME.words.episode_over}: undo or restart.`);
  if (!isLegal(episode.now, board.selected, rule)) {
    return say("status", `${rule.name} on gate ${board.selected}: ${refusal(episode.now, board.selected, rule)}.`);
  }
  return play([board.selected, type]);
}

async function look(cursor) {
  episode.look(cursor);
  await show();
  say("status", `After ${episode.cursor} of ${counted(episode.length, "action")}.`);
}

// --- players and recordings --------------------------------------------------------------------------------

/** Let the chosen player take one step; return whether there may be another. */
async function advance() {
  const player = byId("player").value;
  if (!(player in PLAYERS)) {
    if (episode.cursor < episode.length) await look(episode.cursor + 1);
    if (episode.cursor === episode.length && recorded) sayRecorded();
    return episode.cursor < episode.length;
  }
  const action = decide(player, episode.now);
  if (action === undefined) {
    say("status", episode.now.done ? "The episode is over." : `${PLAYERS[player].title} has nothing to play.`);
    return false;
  }
  await play(action);
  return !episode.now.done;
}

function sayRecorded() {
  const reached = episode.now.metadata.score;
  const same = Math.abs(reached - recorded.score) < 1e-6;
  say("status", same
    ? `The recording of ${recorded.player} ends at score ${reached.toFixed(3)}, as recorded.`
    : `The recording of ${recorded.player} says score ${recorded.score.toFixed(3)}, but playing it gives ${reached.toFixed(3)}.`);
}

async function open(recording) {
  const player = byId("player").value;
  if (!(await start(recording.task, recording.seed, recording.actions))) return;
  recorded = recording;
  byId("player").value = player in PLAYERS ? REPLAY : player;
  await show();
  say("status", `${recording.player}: ${counted(recording.actions.length, "action")} on ${recording.task}, seed ${recording.seed}. Step or play.`);
}

async function openFile(file) {
  try {
    recordings = parse(await file.text());
  } catch (error) {
    if (!(error instanceof BadRecording)) throw error;
    return showError(`${file.name}: ${error.message}`);
  }
  byId("record-choice").hidden = recordings.length < 2;
  byId("record-episode").replaceChildren(
    ...recordings.map((one, at) => element("option", { value: String(at), textContent: `${one.task}, seed ${one.seed}, ${one.player}` })),
  );
  return open(recordings[0]);
}

async function openShipped(file) {
  const answer = await fetch(new URL(`web/${file}`, ROOT));
  if (!answer.ok) return showError(`the recording ${file} is not there`);
  return open(parse(await answer.text())[0]);
}

function save() {
  const player = byId("player").value;
  const text = write(episode, recorded?.player ?? (player in PLAYERS ? player : "playground"));
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  element("a", { href: url, download: `${episode.task}-${episode.seed}.json` }).click();
  URL.revokeObjectURL(url);
}

// --- controls ----------------------------------------------------------------------------------------------

function fillChoices() {
  byId("task").replaceChildren(...TASKS.map((task) => element("option", { value: task, textContent: task })));
  const shipped = GAME.recordings.map((one) =>
    element("option", {
      value: one.file,
      textContent: `${one.task}, seed ${one.seed}: ${one.steps} actions, score ${one.score.toFixed(3)}`,
    }),
  );
  byId("player").replaceChildren(
    ...Object.entries(PLAYERS).map(([name, { title }]) => element("option", { value: name, textContent: title })),
    element("option", { value: REPLAY, textContent: "What has been played" }),
    element("optgroup", { label: "Recorded: the optimum" }, ...shipped),
  );
}

const KEYS = {
  u: () => byId("undo").click(),
  r: () => byId("restart").click(),
  s: () => byId("step-once").click(),
  p: () => byId("play").click(),
  ...Object.fromEntries(RULES.map((rule) => [String(rule.action_type), () => playSelected(rule.action_type)])),
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  if (!(event.key in KEYS) || !episode) return;
  event.preventDefault();
  KEYS[event.key]();
}

function bind() {
  on("load", "click", startChosen);
  on("task", "change", startChosen);
  on("seed", "keydown", (event) => {
    if (event.key === "Enter") startChosen();
  });
  on("random", "click", () => start(byId("task").value, crypto.getRandomValues(new Uint32Array(1))[0] % 1_000_000));
  on("share", "click", () => episode && copy(address(episode.task, episode.seed), byId("share"), byId("python")));
  on("undo", "click", pausing(() => look(episode.cursor - 1)));
  on("restart", "click", pausing(() => look(0)));
  on("step-once", "click", pausing(advance));
  on("play", "click", () => episode && playback.toggle());
  on("speed", "input", () => byId("speed").setAttribute("aria-valuetext", `${byId("speed").value} actions per second`));
  on("replay-position", "input", pausing(() => look(Number(byId("replay-position").value))));
  on("player", "change", pausing(() => byId("player").value.includes("/") && openShipped(byId("player").value)));
  on("record-file", "change", pausing(() => byId("record-file").files[0] && openFile(byId("record-file").files[0])));
  on("record-episode", "change", () => open(recordings[Number(byId("record-episode").value)]));
  on("record-save", "click", () => episode && save());
  on("python-copy", "click", () => copy(byId("python").textContent, byId("python-copy"), byId("python")));
  document.addEventListener("keydown", onKey);
}

const on = (id, type, listener) => byId(id).addEventListener(type, listener);

/** Whoever takes over ends what plays by itself. */
const pausing = (work) => () => {
  playback.pause();
  if (episode) work();
};

fillChoices();
makeActions((type) => episode && playSelected(type));
bind();
const linked = read(location.search);
const { task, seed } = linked === null || linked instanceof Error ? START : linked;
await start(task, seed);
performance.mark("qc:first-draw");
if (linked instanceof Error) showError(linked.message);
