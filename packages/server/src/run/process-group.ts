import type { Clock, Timer } from "../clock.ts";
import type { BwrapStatus } from "../jail/bwrap-status.ts";

/** A child and everything that stayed in its process group or, in a jail, in its namespace. */
export class ProcessGroup {
  readonly #leaderPid: number;
  readonly #clock: Clock;
  readonly #jail: Pick<BwrapStatus, "childPid"> | undefined;
  #kill: Timer | undefined;

  constructor(leaderPid: number, clock: Clock, jail?: Pick<BwrapStatus, "childPid">) {
    this.#leaderPid = leaderPid;
    this.#clock = clock;
    this.#jail = jail;
  }

  /**
   * TERM now, KILL after the grace for whoever ignores it. In a jail the group is another one: bwrap itself would die of a
   * TERM, and take everything with it before it could clean up.
   */
  end(graceMs: number): void {
    signalGroup(this.#jail?.childPid ?? this.#leaderPid, "SIGTERM");
    this.#kill ??= this.#clock.after(graceMs, () => signalGroup(this.#leaderPid, "SIGKILL"));
  }

  /** Nothing of a run outlives its record: what is left of the group goes now, and with bwrap its whole namespace. */
  finish(): void {
    this.#kill?.cancel();
    signalGroup(this.#leaderPid, "SIGKILL");
  }
}

function signalGroup(leaderPid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leaderPid, signal);
  } catch (cause) {
    // ESRCH: the whole group has ended, which is what we want. EPERM: what is left became another user's (sudo), and
    // isn't ours to end.
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== "ESRCH" && code !== "EPERM") throw cause;
  }
}
