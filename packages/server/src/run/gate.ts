import type { Writable } from "node:stream";

const LOOK_AGAIN_MS = 1;

/** A jail with hundreds of mounts on a busy machine takes one second; what is never built was built elsewhere. */
const PATIENCE_MS = 10_000;

interface GateRooms {
  /** Undefined while the jail is being built. */
  isSound(pid: number): boolean | undefined;
  kill(): void;
}

/**
 * Holds a jail back right before its command, until its mounts were found to be what they should be. The kernel is asked again
 * and again, so time is the machine's own.
 */
export class Gate {
  /** The jail isn't what it should be: nothing ran in it. */
  refused = false;
  readonly #pipe: Writable;
  readonly #rooms: GateRooms;
  #until: number | undefined;
  #next: NodeJS.Timeout | undefined;

  constructor(pipe: Writable, rooms: GateRooms) {
    this.#pipe = pipe;
    this.#rooms = rooms;
    // bwrap may end while it is held back.
    pipe.on("error", () => this.close());
  }

  /** As soon as the jail's first process is known. */
  look(pid: number): void {
    if (this.#until !== undefined) return;
    this.#until = performance.now() + PATIENCE_MS;
    this.#look(pid, this.#until);
  }

  /** To bwrap the end of the pipe is as good as a byte: only when it was killed, or has gone through. */
  close(): void {
    clearTimeout(this.#next);
    this.#pipe.destroy();
  }

  #look(pid: number, until: number): void {
    const { isSound, kill } = this.#rooms;
    const sound = isSound(pid) ?? (performance.now() > until ? false : undefined);
    if (sound === undefined) this.#next = setTimeout(() => this.#look(pid, until), LOOK_AGAIN_MS);
    else if (sound) this.#pipe.end("x");
    else {
      this.refused = true;
      kill();
    }
  }
}
