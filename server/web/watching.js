// Watching: players that play by themselves, and recorded episodes.

import { byId, counted, element, say } from "./dom.js";
import { GAME, ROOT } from "./facts.js";
import { Playback } from "./playback.js";
import { decide, PLAYERS } from "./players.js";
import { BadRecording, parse, write } from "./recording.js";
import { showError } from "./view.js";

const REPLAY = "replay";
const LARGEST = 100_000_000;

export class Watching {
  #stage;
  #recordings = []; // those of the last file
  #playback = new Playback(() => this.#advance(), () => 1000 / Number(byId("speed").value), showRunning);

  /** @param {import("./stage.js").Stage} stage */
  constructor(stage) {
    this.#stage = stage;
    byId("player").replaceChildren(
      ...Object.entries(PLAYERS).map(([name, { title }]) => option(name, title)),
      option(REPLAY, "What has been played"),
      element("optgroup", { label: "Recorded: the optimum" }, ...GAME.recordings.map((one) => option(
        one.file,
        `${one.task}, seed ${one.seed}: ${one.steps} actions, score ${one.score.toFixed(3)}`,
      ))),
    );
  }

  /** Stop playing: somebody takes over. */
  pause() {
    this.#playback.pause();
  }

  async toggle() {
    if (this.#playback.running) return this.#playback.pause();
    const { episode } = this.#stage;
    // As players of music and films do it, a replay that is at its end starts again.
    if (!this.#agent && episode.length && !episode.next) await this.#stage.look(0);
    return this.#playback.start();
  }

  step() {
    this.pause();
    return this.#advance();
  }

  /** Show among the players none that does not belong to the episode. */
  sync() {
    const { recorded, length } = this.#stage.episode;
    const select = byId("player");
    if (this.#agent || select.value === recorded?.file || (select.value === REPLAY && length)) return;
    select.value = recorded || length ? REPLAY : Object.keys(PLAYERS)[0];
  }

  async choose() {
    const file = byId("player").value;
    if (!GAME.recordings.some((one) => one.file === file)) return;
    try {
      const answer = await fetch(new URL(`web/${file}`, ROOT));
      if (!answer.ok) throw new BadRecording("it is not there");
      await this.#open({ ...parse(await answer.text())[0], file });
    } catch (error) {
      showError(`The recording ${file} could not be read: ${error.message}`);
      this.sync();
    }
  }

  async chooseFile() {
    const file = byId("record-file").files[0];
    if (!file) return;
    try {
      if (file.size > LARGEST) throw new BadRecording(`a file may have at most ${LARGEST / 1e6} MB`);
      this.#recordings = parse(await file.text());
    } catch (error) {
      showError(`${file.name}: ${error.message}`);
      return;
    }
    byId("record-choice").hidden = this.#recordings.length < 2;
    byId("record-episode").replaceChildren(
      ...this.#recordings.map((one, at) => option(String(at), `${one.task}, seed ${one.seed}, ${one.player}`)),
    );
    await this.#open(this.#recordings[0]);
  }

  chooseEpisode() {
    return this.#open(this.#recordings[Number(byId("record-episode").value)]);
  }

  /** Hand the episode, as far as one has looked, to the visitor as a file. */
  save() {
    const { episode } = this.#stage;
    const text = write(episode, episode.recorded?.player ?? this.#agent ?? "playground");
    const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    element("a", { href: url, download: `${episode.task}-${episode.seed}.json` }).click();
    URL.revokeObjectURL(url);
  }

  /** The chosen player, if it plays in this page. */
  get #agent() {
    const { value } = byId("player");
    return Object.hasOwn(PLAYERS, value) ? value : undefined;
  }

  async #open(recording) {
    if (!(await this.#stage.start(recording.task, recording.seed, { recording }))) return;
    byId("player").value = recording.file ?? REPLAY;
    const count = counted(recording.actions.length, "action");
    say("status", `${recording.player}: ${count} on ${recording.task}, seed ${recording.seed}. Step or play.`);
  }

  /** Take one step; return whether there may be another. */
  async #advance() {
    const { episode } = this.#stage;
    if (!this.#agent) return this.#replayed(episode);
    const action = decide(this.#agent, episode.now);
    if (action !== undefined) return (await this.#stage.play(action)) && !episode.now.done;
    say("status", episode.now.done ? "The episode is over." : `${PLAYERS[this.#agent].title} has nothing to play.`);
    return false;
  }

  async #replayed(episode) {
    if (!episode.next) {
      say("status", episode.length ? "There is nothing more to replay: undo or restart." : "Nothing has been played yet.");
      return false;
    }
    await this.#stage.look(episode.cursor + 1);
    if (!episode.next && episode.recorded) say("status", verdict(episode));
    return Boolean(episode.next);
  }
}

function verdict({ recorded, now }) {
  const reached = now.metadata.score;
  const told = `The recording of ${recorded.player}`;
  return Math.abs(reached - recorded.score) < 1e-6
    ? `${told} ends at score ${reached.toFixed(3)}, as recorded.`
    : `${told} says score ${recorded.score.toFixed(3)}, but playing it gives ${reached.toFixed(3)}.`;
}

function showRunning(running) {
  byId("play").textContent = running ? "Pause" : "Play";
  // Several sentences a second are too many for a screen reader.
  byId("status").setAttribute("aria-live", running ? "off" : "polite");
}

const option = (value, textContent) => element("option", { value, textContent });
