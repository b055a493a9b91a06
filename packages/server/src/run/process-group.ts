import type { Clock, Timer } from "../clock.ts";

/** A child and everything that stayed in its process group. */
export class ProcessGroup {
  readonly #leaderPid: number;
  readonly #clock: Clock;
  #kill: Timer | undefined;

  constructor(leaderPid: number, clock: Clock) {
    this.#leaderPid = leaderPid;
    this.#clock = clock;
  }

  /** TERM now, KILL after the grace for whoever ignores it. */
  end(graceMs: number): void {
    this.#signal("SIGTERM");
    this.#kill ??= this.#clock.after(graceMs, () => this.#signal("SIGKILL"));
  }

  /** Nothing of a run outlives its record: what is left of the group goes now. */
  finish(): void {
    this.#kill?.cancel();
    this.#signal("SIGKILL");
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.#leaderPid, signal);
    } catch (cause) {
      // ESRCH: the whole group has ended, which is what we want. EPERM: what is left became another user's (sudo), and
      // isn't ours to end.
      const { code } = cause as NodeJS.ErrnoException;
      if (code !== "ESRCH" && code !== "EPERM") throw cause;
    }
  }
}
