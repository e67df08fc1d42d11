// The circuit that can be played on: a list box of gates, of which one is selected.

import { drawing } from "./drawing.js";
import { RULES } from "./facts.js";
import { isLegal } from "./legality.js";

export class Board {
  #box;
  #observation = null;
  #shown = 0;
  selected = null;

  /** @param {HTMLElement} box  @param {(index: number | null) => void} onSelect */
  constructor(box, onSelect) {
    this.#box = box;
    this.onSelect = onSelect;
    box.addEventListener("click", (event) => {
      const gate = event.target.closest("[data-index]");
      if (gate) this.select(Number(gate.dataset.index));
    });
    box.addEventListener("keydown", (event) => this.#onKey(event));
    let width = box.clientWidth;
    new ResizeObserver(() => {
      if (box.clientWidth === width) return;
      width = box.clientWidth;
      if (this.#observation) this.show(this.#observation);
    }).observe(box);
  }

  /** Draw an observation's circuit; of several that are under way, the last one counts. */
  async show(observation) {
    const ticket = ++this.#shown;
    this.#observation = observation;
    const svg = await drawing(observation, this.#box.clientWidth);
    if (ticket !== this.#shown) return false;
    svg.setAttribute("role", "none");
    svg.removeAttribute("aria-label"); // the list box has a name of its own
    for (const gate of svg.querySelectorAll("[data-index]")) this.#makeOption(gate, observation);
    this.#box.replaceChildren(svg);
    if (this.selected !== null) this.selected = Math.min(this.selected, observation.gate_count - 1);
    if (observation.gate_count === 0) this.selected = null;
    this.#mark();
    return true;
  }

  select(index) {
    const count = this.#observation?.gate_count ?? 0;
    if (index !== null && (count === 0 || index < 0 || index >= count)) return;
    this.selected = index;
    this.#mark();
    this.#box.querySelector(".selected")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.onSelect(index);
  }

  #makeOption(gate, observation) {
    const index = Number(gate.dataset.index);
    gate.id = `gate-${index}`;
    gate.setAttribute("role", "option");
    // Its title is its name; what is written on it says the same again.
    for (const text of gate.querySelectorAll("text")) text.setAttribute("aria-hidden", "true");
    const reducible = RULES.some((rule) => rule.removes > 0 && isLegal(observation, index, rule));
    gate.classList.toggle("reducible", reducible && !observation.done);
  }

  #mark() {
    for (const gate of this.#box.querySelectorAll("[data-index]")) {
      const chosen = Number(gate.dataset.index) === this.selected;
      gate.classList.toggle("selected", chosen);
      gate.setAttribute("aria-selected", String(chosen));
    }
    if (this.selected === null) this.#box.removeAttribute("aria-activedescendant");
    else this.#box.setAttribute("aria-activedescendant", `gate-${this.selected}`);
  }

  #onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const count = this.#observation?.gate_count ?? 0;
    const at = this.selected;
    const to = {
      ArrowRight: at === null ? 0 : at + 1,
      ArrowDown: at === null ? 0 : at + 1,
      ArrowLeft: at === null ? count - 1 : at - 1,
      ArrowUp: at === null ? count - 1 : at - 1,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.select(Math.max(0, Math.min(count - 1, to)));
  }
}
