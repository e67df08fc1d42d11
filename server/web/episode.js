// An episode as this page has it: everything seen so far, and how far one looks back.

import { GAME } from "./facts.js";

export class Episode {
  #session;
  #applied = null; // actions that the session's own episode has had, if this page knows
  #turn = Promise.resolve();

  /** @param {import("./session.js").Session} session */
  constructor(session, task, seed) {
    this.#session = session;
    this.task = task;
    this.seed = seed;
    this.actions = []; // [target_index, action_type]
    this.observations = []; // one more than actions
    this.cursor = 0;
    this.recorded = null; // the recording that this is, until something else is played
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

  /** The action that was played after what one looks at, if any. */
  get next() {
    return this.actions[this.cursor];
  }

  get rewards() {
    return this.observations.slice(1, this.cursor + 1).map((observation) => observation.reward);
  }

  /** Begin, and if there is a recording play it through; look at the beginning. */
  begin(recording) {
    return this.#inTurn(async () => {
      const actions = recording?.actions ?? [];
      this.observations = await this.#replay(actions);
      this.actions = actions;
      this.recorded = recording;
    });
  }

  /**
   * Play an action where one looks, and forget what came after. Return what is seen then, or undefined if one
   * looks at something else when its turn comes, for which it was not meant.
   */
  play(action) {
    const cursor = this.cursor;
    return this.#inTurn(async () => {
      if (cursor !== this.cursor || this.now.done) return undefined;
      const before = this.actions.slice(0, cursor);
      const observation = this.#standsAt(before)
        ? (await this.#ask([step(action)]))[0]
        : (await this.#replay([...before, action])).at(-1);
      this.actions = [...before, action];
      this.observations = [...this.observations.slice(0, cursor + 1), observation];
      this.#applied = this.actions;
      this.cursor = cursor + 1;
      this.recorded = null;
      return observation;
    });
  }

  undo() {
    return this.#inTurn(() => this.#lookAt(this.cursor - 1));
  }

  look(cursor) {
    return this.#inTurn(() => this.#lookAt(cursor));
  }

  /** After a lost connection: bring the new one to where the old one was. */
  resume() {
    return this.#inTurn(async () => {
      await this.#replay(this.actions);
    });
  }

  #lookAt(cursor) {
    this.cursor = Math.max(0, Math.min(this.length, cursor));
  }

  #standsAt(actions) {
    const ours = this.#session.open && this.#session.holder === this;
    return ours && this.#applied?.length === actions.length && same(this.#applied, actions);
  }

  async #replay(actions) {
    const reset = { type: "reset", data: { task: this.task, seed: this.seed, hints: true } };
    const observations = await this.#ask([reset, ...actions.map(step)]);
    const { game_version } = observations[0].metadata;
    if (game_version !== GAME.game_version) {
      throw new Error(`The server now plays game version ${game_version}, this page ${GAME.game_version}: reload the page.`);
    }
    this.#applied = actions;
    return observations;
  }

  async #ask(messages) {
    this.#applied = null;
    this.#session.holder = this;
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
