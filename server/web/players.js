// Players that need nothing but the server's hints.

import { RULES } from "./facts.js";
import { legalActions } from "./legality.js";

const removing = new Set(RULES.filter((rule) => rule.removes > 0).map((rule) => rule.action_type));
const CANCEL = RULES.find((rule) => rule.name === "cancel").action_type;

export const PLAYERS = {
  "random-legal": {
    title: "Random legal",
    choose: (legal) => legal[Math.floor(Math.random() * legal.length)],
  },
  // The library's policy of this name also brings distant triples together, for which hints do not suffice.
  "cancel-first": {
    title: "Cancel first, without swaps",
    choose: (legal) => legal.find(([, type]) => type === CANCEL) ?? legal.find(([, type]) => removing.has(type)),
  },
};

/** Return the action that a player plays now, or undefined when it has none. */
export const decide = (player, observation) =>
  observation.done ? undefined : PLAYERS[player].choose(legalActions(observation));
