// Plays on by itself, at a speed that can be changed, until there is nothing more to do.

export class Playback {
  #timer = null;

  /**
   * @param {() => Promise<boolean>} advance does one step; whether there may be another
   * @param {() => number} delay milliseconds between two
   * @param {(running: boolean) => void} onChange
   */
  constructor(advance, delay, onChange) {
    this.advance = advance;
    this.delay = delay;
    this.onChange = onChange;
  }

  get running() {
    return this.#timer !== null;
  }

  pause() {
    if (!this.running) return;
    clearTimeout(this.#timer.id);
    this.#timer = null;
    this.onChange(false);
  }

  start() {
    this.pause();
    const timer = { id: 0 };
    this.#timer = timer;
    this.onChange(true);
    const go = async () => {
      const more = await this.advance();
      if (this.#timer !== timer) return;
      if (more) timer.id = setTimeout(go, this.delay());
      else this.pause();
    };
    go();
  }
}
