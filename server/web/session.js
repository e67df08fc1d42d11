// One visitor's own session over /ws. Frames are answered in order, so that any number may be under way.

import { ROOT } from "./facts.js";

const SOCKET = new URL("ws", ROOT);
SOCKET.protocol = ROOT.protocol === "https:" ? "wss:" : "ws:";

const FULL = "CAPACITY_REACHED";
const PATIENCE = 20_000; // milliseconds without an answer after which a connection counts as lost

/** The server has refused a message; the session goes on. */
class Refused extends Error {}

/** The connection is gone, and the episode on it with it. */
export class Lost extends Error {}

export class Session {
  #socket = null;
  #opening = null;
  #waiting = [];
  #said = "";
  #watch = null; // the timer that ends a silent connection, which a phone that has slept can have
  holder = null; // whose episode the session has: whoever has asked last

  /** @param {() => void} onLost called when an open connection is lost */
  constructor(onLost) {
    this.onLost = onLost;
  }

  get open() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Open the connection unless it is open; a new one has no episode yet. */
  connect() {
    if (this.open) return Promise.resolve();
    this.#opening ??= new Promise((resolve, reject) => {
      const socket = new WebSocket(SOCKET);
      let opened = false;
      socket.addEventListener("open", () => {
        opened = true;
        this.#socket = socket;
        this.#opening = null;
        resolve();
      });
      socket.addEventListener("message", (event) => socket === this.#socket && this.#hear(JSON.parse(event.data)));
      socket.addEventListener("close", () => {
        this.#opening = null;
        const reason = this.#said || "no connection to the server";
        this.#said = "";
        if (opened) this.#lose(socket, reason);
        else reject(new Lost(reason));
      });
    });
    return this.#opening;
  }

  /** Send messages at once; return a promise of their observations, in order. */
  async ask(...messages) {
    await this.connect();
    return Promise.all(
      messages.map(
        (message) =>
          new Promise((resolve, reject) => {
            this.#waiting.push({ resolve, reject });
            this.#socket.send(JSON.stringify(message));
            this.#listen();
          }),
      ),
    );
  }

  #lose(socket, reason) {
    if (this.#socket !== socket) return;
    this.#socket = null;
    clearTimeout(this.#watch);
    for (const one of this.#waiting.splice(0)) one.reject(new Lost(reason));
    this.onLost();
  }

  /** Wait for an answer as long as one is due. */
  #listen() {
    clearTimeout(this.#watch);
    if (this.#waiting.length === 0) return;
    const socket = this.#socket;
    this.#watch = setTimeout(() => {
      socket.close();
      this.#lose(socket, "the server does not answer");
    }, PATIENCE);
  }

  #hear(frame) {
    const failed = frame.type === "error";
    if (failed && (frame.data.code === FULL || this.#waiting.length === 0)) {
      // No answer to what we asked, but why the connection will be closed.
      this.#said = frame.data.message;
      return;
    }
    const one = this.#waiting.shift();
    this.#listen();
    if (failed) one.reject(new Refused(frame.data.message));
    else one.resolve({ ...frame.data.observation, reward: frame.data.reward, done: frame.data.done });
  }
}
