// The playground: what the controls and keys do.

import { byId, copy, copyFrom, element } from "./dom.js";
import { RULES, TASKS } from "./facts.js";
import { address, chosen, read } from "./link.js";
import { Stage } from "./stage.js";
import { makeActions, makeRules, showError, showTexts } from "./view.js";
import { Watching } from "./watching.js";

performance.mark("qc:files");

const START = { task: "medium", seed: 7 };
const SEEDS = 1_000_000; // as many as are drawn from: short enough to be told to somebody

const stage = new Stage(() => watching.sync());
const watching = new Watching(stage);

const KEYS = {
  u: () => byId("undo").click(),
  r: () => byId("restart").click(),
  s: () => byId("step-once").click(),
  p: () => byId("play").click(),
  ...Object.fromEntries(RULES.map((rule) => [String(rule.action_type), () => byId(`action-${rule.action_type}`).click()])),
};

const on = (id, type, listener) => byId(id).addEventListener(type, listener);

/** Whoever takes over ends what plays by itself. */
const taking = (work) => () => {
  watching.pause();
  return work();
};

/** The same, for what needs an episode. */
const playing = (work) => taking(() => stage.episode && work(stage.episode));

function startChosen() {
  const found = chosen(byId("task").value, byId("seed").value.trim());
  if (found instanceof Error) showError(found.message);
  else stage.start(found.task, found.seed);
}

function startAnother() {
  return stage.start(byId("task").value, crypto.getRandomValues(new Uint32Array(1))[0] % SEEDS);
}

/** Show what the address names, or else something; `visit` as `Stage.start` takes it. */
async function startLinked() {
  const linked = read(location.search);
  const wrong = linked instanceof Error;
  const { task, seed } = linked === null || wrong ? START : linked;
  const shown = await stage.start(task, seed, { visit: false });
  if (wrong) showError(linked.message);
  return shown;
}

function share({ task, seed }) {
  const field = byId("link");
  field.value = address(task, seed);
  return copy(field.value, byId("share"), () => {
    field.hidden = false;
    field.select();
  });
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || !stage.episode) return;
  if (!byId("keys-on").checked || event.target.closest("input, select, textarea")) return;
  if (!Object.hasOwn(KEYS, event.key)) return;
  event.preventDefault();
  KEYS[event.key]();
}

function bind() {
  on("load", "click", taking(startChosen));
  on("task", "change", taking(startChosen));
  on("seed", "keydown", (event) => event.key === "Enter" && taking(startChosen)());
  on("random", "click", taking(startAnother));
  on("share", "click", () => stage.episode && share(stage.episode));
  on("undo", "click", playing(() => stage.undo()));
  on("restart", "click", playing(() => stage.look(0)));
  on("step-once", "click", playing(() => watching.step()));
  on("play", "click", () => stage.episode && watching.toggle());
  on("speed", "input", () => byId("speed").setAttribute("aria-valuetext", `${byId("speed").value} actions per second`));
  on("replay-position", "input", playing(() => stage.look(Number(byId("replay-position").value))));
  on("player", "change", playing(() => watching.choose()));
  // Otherwise a file that is chosen a second time would be no change.
  on("record-file", "click", () => (byId("record-file").value = ""));
  on("record-file", "change", playing(() => watching.chooseFile()));
  on("record-episode", "change", playing(() => watching.chooseEpisode()));
  on("record-save", "click", playing(() => watching.save()));
  on("python-copy", "click", () => copyFrom(byId("python"), byId("python-copy")));
  for (const id of ["prompt", "python"]) byId(id).closest("details").addEventListener("toggle", () => stage.episode && showTexts(stage.episode));
  document.addEventListener("keydown", onKey);
  addEventListener("popstate", taking(startLinked));
}

byId("task").replaceChildren(...TASKS.map((task) => element("option", { value: task, textContent: task })));
makeRules();
makeActions((rule) => playing(() => stage.playSelected(rule))());
bind();
if (await startLinked()) performance.mark("qc:first-draw");
