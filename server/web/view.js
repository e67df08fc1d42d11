// Shows an episode in all parts of the page but the board.

import { byId, counted, element, say, signed } from "./dom.js";
import { drawing } from "./drawing.js";
import { GAME, RULES } from "./facts.js";
import { isLegal, meaning, numbered, refusal, words } from "./legality.js";
import { program } from "./python.js";

const MINUS_ZERO = /^-(0\.0*)$/;

/** Tell the four rules. */
export function makeRules() {
  byId("rules").replaceChildren(
    ...RULES.map((rule) =>
      element(
        "li",
        {},
        element("strong", { textContent: rule.name }),
        `, ${signed(rule.reward)}: if ${rule.condition}, ${rule.effect}.`,
      ),
    ),
  );
}

/** Make the buttons of the four actions; `onPlay` is told the rule whose button was pressed. */
export function makeActions(onPlay) {
  byId("actions").replaceChildren(
    ...RULES.map((rule) => {
      const number = rule.action_type;
      const button = element(
        "button",
        { type: "button", id: `action-${number}`, onclick: () => onPlay(rule) },
        element("kbd", { textContent: String(number) }),
        element("span", { className: "name", textContent: rule.name }),
        element("span", { className: "reward", textContent: signed(rule.reward) }),
      );
      button.setAttribute("aria-describedby", `reason-${number}`);
      return element("div", { className: "action" }, button, element("p", { id: `reason-${number}` }));
    }),
  );
}

/** Show what can be done with the selected gate, and why the rest cannot. */
export function showActions(observation, selected) {
  const gate = selected === null ? undefined : observation.circuit[selected];
  say("selected", gate ? `Gate ${selected}: ${gate.name} on ${gate.target_qubits.map((qubit) => `q${qubit}`).join(", ")}` : "No gate selected");
  byId("panel").classList.toggle("open", gate !== undefined);
  for (const rule of RULES) {
    const legal = gate !== undefined && !observation.done && isLegal(observation, selected, rule);
    byId(`action-${rule.action_type}`).setAttribute("aria-disabled", String(!legal));
    say(`reason-${rule.action_type}`, reason(observation, gate && selected, rule));
  }
}

function reason(observation, selected, rule) {
  if (observation.done) return `Not legal: ${GAME.words.episode_over}.`;
  if (selected === undefined) return `If ${rule.condition}: ${rule.effect}.`;
  const refused = refusal(observation, selected, rule);
  return refused ? `Not legal, ${refused}.` : `Legal: ${numbered(rule.effect, selected)}.`;
}

/** Show everything of the episode that needs no drawing. */
export function showEpisode(episode) {
  const { now } = episode;
  const { metadata } = now;
  say("score", metadata.score.toFixed(3));
  say("gates", `${now.gate_count} of ${metadata.initial_count}`);
  say("par", String(metadata.par));
  say("steps", `${metadata.step} of ${GAME.step_limit}`);
  say("return", episode.rewards.reduce((sum, reward) => sum + reward, 0).toFixed(2).replace(MINUS_ZERO, "$1"));
  byId("undo").disabled = episode.cursor === 0;
  byId("restart").disabled = episode.cursor === 0;
  const position = byId("replay-position");
  position.max = String(episode.length);
  position.value = String(episode.cursor);
  position.disabled = episode.length === 0;
  position.setAttribute("aria-valuetext", `after ${episode.cursor} of ${counted(episode.length, "action")}`);
  showTexts(episode);
  showHistory(episode);
}

/** Show what a language model and a program have, where it is unfolded. */
export function showTexts(episode) {
  if (isOpen("prompt")) say("prompt", episode.now.prompt);
  if (isOpen("python")) say("python", program(episode));
}

const isOpen = (id) => byId(id).closest("details").open;

const lines = new WeakMap(); // line of the history -> the observation that it tells

function showHistory(episode) {
  const list = byId("history");
  const told = episode.observations.slice(1, episode.cursor + 1);
  // Lines that are still true stay, so that a step writes one line and a screen reader keeps its place.
  let kept = 0;
  while (kept < told.length && list.children[kept] && lines.get(list.children[kept]) === told[kept]) kept += 1;
  while (list.children.length > kept) list.lastElementChild.remove();
  for (let at = kept; at < told.length; at += 1) {
    const line = historyLine(episode.actions[at], told[at]);
    lines.set(line, told[at]);
    list.append(line);
  }
  // Later, with the frame, when the browser lays the page out anyway.
  requestAnimationFrame(() => {
    list.scrollTop = list.scrollHeight;
  });
}

function historyLine([index, type], { reward, metadata, gate_count }) {
  const rule = RULES.find((one) => one.action_type === type);
  const accepted = metadata.action_result === rule.accepted;
  return element(
    "li",
    { className: !accepted ? "invalid" : rule.removes ? "removed" : "swapped" },
    element("span", { className: "what", textContent: `${rule.name}(${index})` }),
    element("span", { className: "result", textContent: words(metadata.action_result) }),
    element("span", { className: "left", textContent: counted(gate_count, "gate") }),
    element("span", { className: "reward", textContent: signed(reward) }),
  );
}

/** Show the circuits before and after, once the episode has ended. */
export async function showEnd(episode) {
  const { first, now } = episode;
  byId("ended").hidden = !now.done;
  if (!now.done) return;
  say("ended-why", `${meaning(now.metadata.termination)} Score ${now.metadata.score.toFixed(3)}.`);
  say("before-title", `Before: ${counted(first.gate_count, "gate")}`);
  say("after-title", `After ${counted(episode.cursor, "action")}: ${counted(now.gate_count, "gate")}`);
  const boxes = [byId("before"), byId("after")];
  const pictures = await Promise.all([first, now].map((shown, at) => drawing(shown, boxes[at].clientWidth)));
  boxes.forEach((box, at) => box.replaceChildren(pictures[at]));
}

export function showError(text) {
  byId("error").hidden = !text;
  say("error", text);
}
