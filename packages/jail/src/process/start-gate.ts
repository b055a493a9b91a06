import type { Writable } from "node:stream";
import type { Held } from "../held/index.ts";

const LOOK_AGAIN_MS = 1;

/** A jail with hundreds of mounts on a busy machine takes one second; what is never built was built elsewhere. */
const PATIENCE_MS = 10_000;

const NOT_SOUND = "The jail wasn't what it should have been: another run changed the workspace while it was built";

/**
 * Holds a jail back right before its command, until its mounts were found to be what they should be, and are watched. The kernel is asked
 * again and again, so time is the machine's own.
 */
export class StartGate {
  /** Why nothing ran in the jail, where it isn't what it should be. */
  refused: string | undefined;
  readonly #pipe: Writable;
  readonly #isSound: (pid: number) => boolean | undefined;
  readonly #holdJail: ((pid: number) => Promise<Held | undefined>) | undefined;
  readonly #kill: () => void;
  #until: number | undefined;
  #next: NodeJS.Timeout | undefined;
  #held: Promise<Held | undefined> | undefined;

  /** `isSound` is undefined while the jail is being built; `hold`: see `Launch`. */
  constructor(
    pipe: Writable,
    options: {
      isSound(pid: number): boolean | undefined;
      readonly hold?: ((pid: number) => Promise<Held | undefined>) | undefined;
      kill(): void;
    },
  ) {
    this.#pipe = pipe;
    this.#isSound = options.isSound;
    this.#holdJail = options.hold;
    this.#kill = options.kill;
    // bwrap may end while it is held back.
    pipe.on("error", () => this.close());
  }

  /** As soon as the jail's first process is known. */
  look(pid: number): void {
    if (this.#until !== undefined) return;
    this.#until = performance.now() + PATIENCE_MS;
    this.#look(pid, this.#until);
  }

  /** When the run is over: what of its jail was lost while it ran (see `Held`). */
  async lost(): Promise<string | undefined> {
    const held = await this.#held;
    return await held?.lost();
  }

  /** To bwrap the end of the pipe is as good as a byte: only when it was killed, or has gone through. */
  close(): void {
    clearTimeout(this.#next);
    this.#pipe.destroy();
  }

  #look(pid: number, until: number): void {
    const sound = this.#isSound(pid) ?? (performance.now() > until ? false : undefined);
    if (sound === undefined) this.#next = setTimeout(() => this.#look(pid, until), LOOK_AGAIN_MS);
    else if (sound) this.#hold(pid);
    else this.#refuse(NOT_SOUND);
  }

  #hold(pid: number): void {
    if (!this.#holdJail) return this.#open();
    this.#held = this.#holdJail(pid).then(
      (held) => {
        if (held) this.#open();
        else this.#refuse(NOT_SOUND);
        return held;
      },
      (cause: Error) => {
        this.#refuse(cause.message);
        return undefined;
      },
    );
  }

  #open(): void {
    if (!this.#pipe.destroyed) this.#pipe.end("x");
  }

  #refuse(reason: string): void {
    this.refused = reason;
    this.#kill();
  }
}
