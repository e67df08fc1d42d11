// What is played and shown now: the episode, its connection and its pictures.

import { Board } from "./board.js";
import { byId, counted, say, signed } from "./dom.js";
import { Episode } from "./episode.js";
import { GAME, RULES } from "./facts.js";
import { isLegal, meaning, refusal } from "./legality.js";
import { address } from "./link.js";
import { Lost, Session } from "./session.js";
import { showActions, showEnd, showEpisode, showError } from "./view.js";

const DELAYS = [250, 500, 1000, 2000, 4000, 8000];

export class Stage {
  #session = new Session(() => this.#resume());
  #board;
  #started = 0;
  #shown = 0;
  #resuming = null; // under way, when the connection has been lost
  episode = null;

  /** @param {() => void} onShow called whenever something else is shown */
  constructor(onShow) {
    this.onShow = onShow;
    this.#board = new Board(byId("circuit"), {
      onSelect: () => this.#showSelected(),
      onResize: () => this.episode && this.show(),
    });
  }

  /** Begin with a circuit, or with a recording of one; return whether it is shown. The last one asked for counts. */
  async start(task, seed, { recording = null, visit = true } = {}) {
    const ticket = ++this.#started;
    const wanted = () => ticket === this.#started;
    setState("connecting");
    const next = new Episode(this.#session, task, seed);
    if (!(await this.#persist(() => next.begin(recording), wanted)) || !wanted()) return false;
    this.episode = next;
    this.#board.selected = null;
    byId("task").value = task;
    byId("seed").value = String(seed);
    remember(address(task, seed), visit);
    say("status", `${task}, seed ${seed}: ${counted(next.first.gate_count, "gate")}, par ${next.first.metadata.par}.`);
    return this.show();
  }

  /** Play an action where one looks; return whether it has been played and is shown. */
  async play(action) {
    performance.mark("qc:click");
    const { episode } = this;
    let seen;
    const work = async () => {
      seen = await episode.play(action);
    };
    await this.#persist(work, () => episode === this.episode);
    // Nothing has been played, or one looks at something else by now.
    if (seen === undefined || episode !== this.episode || episode.now !== seen) return false;
    const { metadata, reward } = seen;
    this.#board.selected = followed(this.#board.selected, action, metadata.action_result);
    say("status", `${signed(reward)}: ${meaning(metadata.action_result)}.`);
    const shown = await this.show();
    performance.mark("qc:drawn");
    return shown;
  }

  /** Play on the selected gate, or say why that is not possible. */
  async playSelected(rule) {
    const { now } = this.episode;
    const { selected } = this.#board;
    if (now.done) return say("status", `${GAME.words.episode_over}: undo or restart.`);
    if (selected === null) return say("status", "Select a gate first.");
    if (!isLegal(now, selected, rule)) {
      return say("status", `${rule.name} on gate ${selected}: ${refusal(now, selected, rule)}.`);
    }
    return this.play([selected, rule.action_type]);
  }

  undo() {
    return this.#look((episode) => episode.undo());
  }

  /** Show what there was after so many actions. */
  look(cursor) {
    return this.#look((episode) => episode.look(cursor));
  }

  /** Show the episode as it is now; return whether nothing newer has come between. */
  async show() {
    const ticket = ++this.#shown;
    const { episode } = this;
    const wanted = () => ticket === this.#shown;
    byId("circuit").setAttribute("aria-busy", "true");
    // Asked for first, so that the server draws while the rest is written.
    const drawn = this.#persist(
      () => Promise.all([this.#board.show(episode.now, episode.next?.[0], wanted), showEnd(episode)]),
      wanted,
    );
    showEpisode(episode);
    this.#showSelected();
    this.onShow();
    if (!(await drawn) || !wanted()) return false;
    byId("circuit").setAttribute("aria-busy", "false");
    this.#showSelected();
    document.body.dataset.steps = String(episode.cursor);
    setState(episode.now.done ? "done" : episode.recorded && episode.next ? "replaying" : "playing");
    return true;
  }

  async #look(move) {
    const { episode } = this;
    await move(episode);
    if (episode !== this.episode) return;
    const next = episode.next ? `; next is ${called(episode.next)}` : "";
    say("status", `After ${episode.cursor} of ${counted(episode.length, "action")}${next}.`);
    await this.show();
  }

  #showSelected() {
    showActions(this.episode.now, this.#board.selected);
  }

  /** Do work, again after a while whenever the connection is lost and it is still wanted; show other errors. */
  async #persist(work, wanted) {
    for (let attempt = 0; wanted(); attempt += 1) {
      try {
        await work();
        showError("");
        return true;
      } catch (error) {
        if (!(error instanceof Lost)) {
          setState("error");
          showError(error.message);
          return false;
        }
        setState("connecting");
        say("status", `Connecting again: ${error.message}`);
        await delay(DELAYS[Math.min(attempt, DELAYS.length - 1)]);
      }
    }
    return false;
  }

  /** Bring a new connection to where the lost one was. */
  #resume() {
    const { episode } = this;
    if (!episode) return; // whoever asked for one asks again
    this.#resuming ??= this.#persist(() => episode.resume(), () => episode === this.episode)
      .then(async (resumed) => {
        if (!resumed || episode !== this.episode) return;
        say("status", "Connected again; the episode is where it was.");
        await this.show();
      })
      .finally(() => {
        this.#resuming = null;
      });
  }
}

/** Return which gate is selected after an action on one: a swapped gate still is, a removed one is not. */
function followed(selected, [index, type], result) {
  const rule = RULES.find((one) => one.action_type === type);
  if (selected !== index || result !== rule.accepted) return selected;
  if (rule.removes === 0) return index + 1;
  return rule.name === "cancel" ? null : index;
}

function called([index, type]) {
  return `${RULES.find((one) => one.action_type === type).name}(${index})`;
}

function setState(state) {
  document.body.dataset.state = state;
}

/** Make the address the page's, as another entry of the browser's history if it has been visited anew. */
function remember(url, visit) {
  if (url === location.href) return;
  if (visit) history.pushState(null, "", url);
  else history.replaceState(null, "", url);
}

/** Wait; less when the network or the visitor comes back. */
function delay(milliseconds) {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
    addEventListener("online", resolve, { once: true });
    document.addEventListener("visibilitychange", resolve, { once: true });
  });
}
