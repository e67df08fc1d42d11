// Shows an episode in all parts of the page but the board.

import { byId, counted, element, say, signed } from "./dom.js";
import { drawing } from "./drawing.js";
import { GAME, RULES } from "./facts.js";
import { isLegal, meaning, numbered, refusal, words } from "./legality.js";
import { program } from "./python.js";

const MINUS_ZERO = /^-(0\.0*)$/;

/** Make the buttons of the four actions; `onPlay` is told which was pressed. */
export function makeActions(onPlay) {
  byId("actions").replaceChildren(
    ...RULES.map((rule) => {
      const number = rule.action_type;
      const button = element(
        "button",
        { type: "button", id: `action-${number}`, onclick: () => onPlay(number) },
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
  say("prompt", now.prompt);
  say("python", program(episode));
  byId("undo").disabled = episode.cursor === 0;
  byId("restart").disabled = episode.cursor === 0;
  const position = byId("replay-position");
  position.max = String(episode.length);
  position.value = String(episode.cursor);
  position.setAttribute("aria-valuetext", `after ${episode.cursor} of ${counted(episode.length, "action")}`);
  showHistory(episode);
}

function showHistory(episode) {
  const list = byId("history");
  const lines = episode.actions.slice(0, episode.cursor).map(([index, type], at) => {
    const { reward, metadata, gate_count } = episode.observations[at + 1];
    const rule = RULES.find((one) => one.action_type === type);
    return element(
      "li",
      { className: reward < -0.075 ? "invalid" : reward < 0 ? "swap" : "removed" },
      element("span", { className: "what", textContent: `${rule.name}(${index})` }),
      element("span", { className: "result", textContent: words(metadata.action_result) }),
      element("span", { className: "left", textContent: counted(gate_count, "gate") }),
      element("span", { className: "reward", textContent: signed(reward) }),
    );
  });
  list.replaceChildren(...lines);
  list.scrollTop = list.scrollHeight;
}

/** Show the circuits before and after, once the episode has ended. */
export async function showEnd(episode) {
  const { first, now } = episode;
  byId("ended").hidden = !now.done;
  if (!now.done) return;
  say("ended-why", `${meaning(now.metadata.termination)} Score ${now.metadata.score.toFixed(3)}.`);
  say("before-title", `Before: ${counted(first.gate_count, "gate")}`);
  say("after-title", `After ${counted(episode.cursor, "action")}: ${counted(now.gate_count, "gate")}`);
  const width = byId("ended").clientWidth - 2;
  const pictures = await Promise.all([drawing(first, width), drawing(now, width)]);
  byId("before").replaceChildren(pictures[0]);
  byId("after").replaceChildren(pictures[1]);
}

export function showError(text) {
  byId("error").hidden = !text;
  say("error", text);
}
