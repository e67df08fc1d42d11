// What the server's hints say of the actions on a gate. Which are legal is decided there and nowhere here.

import { GAME, RULES } from "./facts.js";

const LEGAL = "ok";

/** Return whether a rule may be applied to a gate now. */
export const isLegal = (observation, index, rule) => answer(observation, index, rule) === LEGAL;

/** Return why a rule may not be applied to a gate, as the server would answer it, or "" if it may. */
export function refusal(observation, index, rule) {
  const said = answer(observation, index, rule);
  if (said === LEGAL) return "";
  return said === rule.refused ? `${words(said)}: it needs that ${numbered(rule.condition, index)}` : meaning(said);
}

/** Return all legal actions, as [target_index, action_type]. */
export function legalActions(observation) {
  return observation.metadata.legality.flatMap((_, index) =>
    RULES.filter((rule) => isLegal(observation, index, rule)).map((rule) => [index, rule.action_type]),
  );
}

/** Return a rule's text about gate i as one about the gate of that index. */
export const numbered = (text, index) =>
  text.replace(/\bi\+(\d)\b/g, (_, more) => String(index + Number(more))).replace(/\bi\b/g, String(index));

export const words = (name) => name.replaceAll("_", " ");

/** Return what became of the last action, in words. */
export const meaning = (result) => GAME.words[result] ?? words(result);

const answer = (observation, index, rule) => observation.metadata.legality[index]?.[rule.action_type - 1];
