// Circuits as the server draws them.

import { element } from "./dom.js";
import { ROOT } from "./facts.js";
import { Lost } from "./session.js";

const KEPT = 400;
const drawn = new Map();

/** Return a promise of the drawing as an SVG element, at most `width` pixels wide where that is possible. */
export async function drawing(observation, width) {
  const body = JSON.stringify({
    circuit: observation.circuit,
    num_qubits: observation.num_qubits,
    width: Math.floor(width),
  });
  if (!drawn.has(body)) {
    if (drawn.size >= KEPT) drawn.delete(drawn.keys().next().value);
    drawn.set(body, ask(body));
  }
  try {
    return document.importNode(await drawn.get(body), true);
  } catch (error) {
    drawn.delete(body);
    throw error;
  }
}

async function ask(body) {
  const [answer, text] = await fetched(body);
  if (!answer.ok) throw new Error(`the server could not draw the circuit: ${text.slice(0, 200)}`);
  const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  if (svg.localName !== "svg") throw new Error("the server's drawing could not be read");
  shareStyle(svg.querySelector("style"));
  return svg;
}

/** Move a drawing's style, which all have, to the page: each that comes or goes lets the browser style all anew. */
function shareStyle(style) {
  style.remove();
  if (!document.head.querySelector("style")) document.head.append(element("style", { textContent: style.textContent }));
}

async function fetched(body) {
  try {
    const answer = await fetch(new URL("web/drawing", ROOT), { method: "POST", body });
    return [answer, await answer.text()];
  } catch {
    throw new Lost("no connection to the server");
  }
}
