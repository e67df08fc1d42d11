// One visitor's own session over /ws. Frames are answered in order, so that any number may be under way.

import { ROOT } from "./facts.js";

const SOCKET = new URL("ws", ROOT);
SOCKET.protocol = ROOT.protocol === "https:" ? "wss:" : "ws:";

const FULL = "CAPACITY_REACHED";

/** The server has refused a message; the session goes on. */
export class Refused extends Error {}

/** The connection is gone, and the episode on it with it. */
export class Lost extends Error {}

export class Session {
  #socket = null;
  #opening = null;
  #waiting = [];
  #said = "";

  /** @param {(reason: string) => void} onLost called when an open connection is lost */
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
      socket.addEventListener("message", (event) => this.#hear(JSON.parse(event.data)));
      socket.addEventListener("close", () => {
        this.#opening = null;
        const reason = this.#said || "no connection to the server";
        this.#said = "";
        if (!opened) return reject(new Lost(reason));
        if (this.#socket === socket) this.#socket = null;
        for (const one of this.#waiting.splice(0)) one.reject(new Lost(reason));
        this.onLost(reason);
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
          }),
      ),
    );
  }

  #hear(frame) {
    const failed = frame.type === "error";
    if (failed && (frame.data.code === FULL || this.#waiting.length === 0)) {
      // No answer to what we asked, but why the connection will be closed.
      this.#said = frame.data.message;
      return;
    }
    const one = this.#waiting.shift();
    if (failed) one.reject(new Refused(frame.data.message));
    else one.resolve({ ...frame.data.observation, reward: frame.data.reward, done: frame.data.done });
  }
}
