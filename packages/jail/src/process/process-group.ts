import type { Clock, Timer } from "@countersign/core/base";
import type { BwrapStatus } from "./bwrap-status.ts";
import type { PseudoTerminal } from "./pseudo-terminal.ts";

interface Around {
  readonly jail?: Pick<BwrapStatus, "childPid" | "kill">;
  readonly terminal?: Pick<PseudoTerminal, "foregroundGroup">;
}

/** A child and everything that stayed in its process group or, in a jail, in its namespace. */
export class ProcessGroup {
  readonly #leaderPid: number;
  readonly #clock: Clock;
  readonly #around: Around;
  #kill: Timer | undefined;

  constructor(leaderPid: number, clock: Clock, around: Around = {}) {
    this.#leaderPid = leaderPid;
    this.#clock = clock;
    this.#around = around;
  }

  /**
   * TERM now, KILL after the grace for whoever ignores it. In a jail the group is another one: bwrap itself would die of a
   * TERM, and take everything with it before it could clean up. While the jail is being built there is only bwrap. On a terminal the
   * command has a session of its own.
   */
  end(graceMs: number): void {
    const { jail, terminal } = this.#around;
    const inside = terminal?.foregroundGroup() ?? jail?.childPid;
    const told = inside !== undefined && signalGroup(inside, "SIGTERM");
    if (!told) signalGroup(this.#leaderPid, "SIGTERM");
    this.#kill ??= this.#clock.after(graceMs, () => this.kill());
  }

  /** At once: all of the group and, with bwrap, its whole namespace. Nothing of a run outlives its record. */
  kill(): void {
    this.#kill?.cancel();
    signalGroup(this.#leaderPid, "SIGKILL");
    this.#around.jail?.kill();
  }
}

/** False when there is no such group, or nobody in it that is ours. */
function signalGroup(leaderPid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-leaderPid, signal);
  } catch (cause) {
    // ESRCH: the whole group has ended, which is what we want. EPERM: what is left became another user's (sudo), and
    // isn't ours to end.
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== "ESRCH" && code !== "EPERM") throw cause;
    return false;
  }
}
