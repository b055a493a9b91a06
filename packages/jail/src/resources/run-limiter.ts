import type { RunLimits } from "@countersign/core/config";
import { JailError } from "../base/index.ts";
import { rootProgram } from "../idmap/index.ts";
import { Cgroups } from "./cgroups.ts";
import {
  type LimitFacts,
  limitArguments,
  limitsNotEnforced,
  type NotEnforced,
  unheldInWords,
} from "./limit-arguments.ts";

const PRLIMIT = "/usr/bin/prlimit";

/** A run that is limited. */
export interface LimitedRun {
  /** Starts whatever starts the jail, before any drop to another user. */
  readonly outside: readonly string[];
  /** Instead of that: what a thread writes 0 to, so that what it starts is limited; undefined: it can't. */
  readonly threadFiles: readonly string[] | undefined;
  /** Starts the command, inside the jail. */
  readonly inside: readonly string[];
  /** Ends everything that belongs to the run, where control groups know it. */
  kill(): void;
  /** After the run: what it had too little of, for the outcome ("it may use 64 MiB of memory"). Before `end`. */
  exceeded(): readonly string[];
  /** Once, however often it is called: lets go of what the limits needed. What is left of the run is killed. */
  end(): Promise<void>;
}

/** Holds runs to their limits, by control groups and by limits of each process, as far as this machine allows. */
export class RunLimiter {
  readonly #limits: RunLimits;
  readonly #cgroups: Cgroups | undefined;
  readonly #inside: readonly string[];
  /** What of the limits doesn't hold here. */
  readonly notEnforced: readonly NotEnforced[];

  /** Looks at the machine once. */
  constructor(limits: RunLimits) {
    this.#limits = limits;
    this.#cgroups = Cgroups.probe(limits);
    const facts: LimitFacts = { prlimit: findPrlimit(), controllers: this.#cgroups?.controllers ?? [] };
    this.#inside = limitArguments(limits, facts);
    this.notEnforced = limitsNotEnforced(limits, facts);
  }

  /** The limits that don't hold here in full, in words, those that nobody configured included: people rely on both. */
  unheld(configured: RunLimits): string[] {
    return unheldInWords(this.notEnforced, configured);
  }

  start(): LimitedRun {
    const group = this.#cgroup();
    let left = group;
    return {
      outside: group?.prefix ?? [],
      threadFiles: group ? group.threadFiles : [],
      inside: this.#inside,
      kill: () => group?.kill(),
      exceeded: () => [
        ...(group?.wasOomKilled() ? [`it may use ${inMebibytes(this.#limits.memoryBytes)} of memory`] : []),
        ...(group?.wasOutOfProcesses() ? [`it may have ${this.#limits.processes} processes at once`] : []),
      ],
      end: async () => {
        const ended = left;
        left = undefined;
        if (ended) await this.#cgroups?.giveBack(ended);
      },
    };
  }

  close(): void {
    this.#cgroups?.close();
  }

  #cgroup() {
    try {
      return this.#cgroups?.take();
    } catch (cause) {
      throw new JailError("LIMITS_FAILED", `No control group could be made for the run (${String(cause)})`, { cause });
    }
  }
}

function inMebibytes(bytes = 0): string {
  return `${Math.floor(bytes / 1024 ** 2)} MiB`;
}

function findPrlimit(): string | undefined {
  try {
    return rootProgram(PRLIMIT);
  } catch (cause) {
    if (cause instanceof JailError) return undefined;
    throw cause;
  }
}
