// The circuit that can be played on: a list box of gates, of which one is selected.

import { drawing } from "./drawing.js";
import { RULES } from "./facts.js";
import { isLegal } from "./legality.js";

export class Board {
  #box;
  #width; // known without asking, which would make the browser lay the page out
  #observation = null;
  #last = 0; // where keys begin when nothing is selected
  #selected = null;

  /**
   * @param {HTMLElement} box
   * @param {{onSelect: () => void, onResize: () => void}} listeners
   */
  constructor(box, { onSelect, onResize }) {
    this.#box = box;
    this.#width = box.clientWidth;
    this.onSelect = onSelect;
    box.addEventListener("click", (event) => {
      const gate = event.target.closest("[data-index]");
      this.#select(gate ? Number(gate.dataset.index) : null);
    });
    box.addEventListener("keydown", (event) => this.#onKey(event));
    new ResizeObserver(() => {
      if (box.clientWidth === this.#width) return;
      this.#width = box.clientWidth;
      onResize();
    }).observe(box);
  }

  get selected() {
    return this.#selected;
  }

  set selected(index) {
    if (this.#selected !== null) this.#last = this.#selected;
    this.#selected = index;
  }

  /** Draw an observation's circuit, with a mark on the gate of the next action, if it is still wanted then. */
  async show(observation, next, wanted) {
    const count = observation.gate_count;
    if (this.selected !== null) this.selected = count ? Math.min(this.selected, count - 1) : null;
    const svg = await drawing(observation, this.#width);
    if (!wanted()) return;
    this.#observation = observation;
    svg.setAttribute("role", "none");
    svg.removeAttribute("aria-label"); // the list box has a name of its own
    for (const gate of svg.querySelectorAll("[data-index]")) this.#makeOption(gate, observation, next);
    this.#box.replaceChildren(svg);
    this.#mark(this.#gate(this.selected));
  }

  #select(index) {
    if (index === this.selected) return;
    this.#gate(this.selected)?.classList.remove("selected");
    this.#gate(this.selected)?.setAttribute("aria-selected", "false");
    this.selected = index;
    this.#mark(this.#gate(index));
    this.onSelect(); // may cover a part of the circuit, so it comes before scrolling
    this.#gate(index)?.querySelector(".qc-hit").scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  #gate(index) {
    return index === null ? null : this.#box.querySelector(`#gate-${index}`);
  }

  #makeOption(gate, observation, next) {
    const index = Number(gate.dataset.index);
    const legal = observation.done ? [] : RULES.filter((rule) => isLegal(observation, index, rule));
    gate.id = `gate-${index}`;
    gate.setAttribute("role", "option");
    gate.setAttribute("aria-selected", "false");
    // The title is the option's name: what rings and colours tell has to be in it.
    if (legal.length) gate.querySelector("title").append(`; legal: ${legal.map((rule) => rule.name).join(", ")}`);
    // What is written on it would be read beside its name.
    for (const text of gate.querySelectorAll("text")) text.setAttribute("aria-hidden", "true");
    gate.classList.toggle("reducible", legal.some((rule) => rule.removes > 0));
    gate.classList.toggle("next", index === next);
  }

  #mark(gate) {
    if (!gate) return this.#box.removeAttribute("aria-activedescendant");
    gate.classList.add("selected");
    gate.setAttribute("aria-selected", "true");
    return this.#box.setAttribute("aria-activedescendant", gate.id);
  }

  #onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.#observation) return;
    const count = this.#observation.gate_count;
    const to = this.#destination(event.key, count - 1);
    if (to === undefined) return;
    event.preventDefault();
    this.#select(to === null || count === 0 ? null : Math.max(0, Math.min(count - 1, to)));
  }

  /** Return which gate a key leads to, null for none, or undefined if it is no such key. */
  #destination(key, end) {
    const at = this.selected;
    return {
      ArrowRight: at === null ? this.#last : at + 1,
      ArrowDown: at === null ? this.#last : at + 1,
      ArrowLeft: at === null ? this.#last : at - 1,
      ArrowUp: at === null ? this.#last : at - 1,
      Home: 0,
      End: end,
      Escape: null,
    }[key];
  }
}
