// An episode as this page has it: everything seen so far, and how far one looks back.

import { Lost } from "./session.js";

export class Episode {
  #session;
  #applied = null; // actions that the session's own episode has had; null: it is another or none
  #turn = Promise.resolve();

  /** @param {import("./session.js").Session} session */
  constructor(session, task, seed) {
    this.#session = session;
    this.task = task;
    this.seed = seed;
    this.actions = []; // [target_index, action_type]
    this.observations = []; // one more than actions
    this.cursor = 0;
  }

  get now() {
    return this.observations[this.cursor];
  }

  get first() {
    return this.observations[0];
  }

  get length() {
    return this.actions.length;
  }

  get rewards() {
    return this.observations.slice(1, this.cursor + 1).map((observation) => observation.reward);
  }

  begin() {
    return this.#inTurn(async () => {
      this.observations = await this.#replay([]);
    });
  }

  /** Play an action where one looks; what came after it is forgotten. */
  play(action) {
    const cursor = this.cursor;
    return this.#inTurn(async () => {
      if (cursor !== this.cursor || this.now.done) return;
      const before = this.actions.slice(0, cursor);
      const observation = this.#standsAt(before)
        ? (await this.#ask([step(action)]))[0]
        : (await this.#replay([...before, action])).at(-1);
      this.actions = [...before, action];
      this.observations = [...this.observations.slice(0, cursor + 1), observation];
      this.#applied = this.actions;
      this.cursor = cursor + 1;
    });
  }

  /** Play a whole list from the start, and look at its beginning. */
  load(actions) {
    return this.#inTurn(async () => {
      this.observations = await this.#replay(actions);
      this.actions = actions;
      this.cursor = 0;
    });
  }

  look(cursor) {
    this.cursor = Math.max(0, Math.min(this.length, cursor));
  }

  /** After a lost connection: bring the new one to where the old one was. */
  resume() {
    return this.#inTurn(async () => {
      await this.#replay(this.actions);
    });
  }

  #standsAt(actions) {
    return this.#session.open && this.#applied?.length === actions.length && same(this.#applied, actions);
  }

  async #replay(actions) {
    const reset = { type: "reset", data: { task: this.task, seed: this.seed, hints: true } };
    const observations = await this.#ask([reset, ...actions.map(step)]);
    this.#applied = actions;
    return observations;
  }

  async #ask(messages) {
    this.#applied = null;
    return this.#session.ask(...messages);
  }

  /** One thing at a time, in the order in which it was asked for. */
  #inTurn(work) {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }
}

const step = ([target_index, action_type]) => ({ type: "step", data: { target_index, action_type } });

const same = (some, others) => some.every(([index, type], at) => index === others[at][0] && type === others[at][1]);

export { Lost };
