import { release } from "node:os";
import type { RunLimits } from "@countersign/core/config";
import type { Controller } from "../process/index.ts";

export interface LimitFacts {
  /** `prlimit` of util-linux, where it is there. */
  readonly prlimit: string | undefined;
  /** What control groups see to. */
  readonly controllers: readonly Controller[];
  readonly kernel?: string;
}

/**
 * What starts a command with these limits, to stand *inside* the jail: there the kernel counts the processes of the jail
 * alone, and outside all of its user's. Empty where there is nothing to limit in this way.
 */
export function limitArguments(limits: RunLimits, { prlimit, controllers, kernel = release() }: LimitFacts): string[] {
  const { cpuSeconds, memoryBytes, processes, fileBytes } = limits;
  const countedInJail = countsByNamespace(kernel) && !controllers.includes("pids");
  const set = [
    // A second of mercy between SIGXCPU and SIGKILL.
    ...(cpuSeconds === undefined ? [] : [`--cpu=${cpuSeconds}:${cpuSeconds + 1}`]),
    ...(fileBytes === undefined ? [] : [`--fsize=${fileBytes}`]),
    ...(processes === undefined || !countedInJail ? [] : [`--nproc=${processes}`]),
    // Of one process, what it alone can write. Address space means nothing: node and java reserve far more than they use.
    ...(memoryBytes === undefined || controllers.includes("memory") ? [] : [`--data=${memoryBytes}`]),
  ];
  return prlimit === undefined || set.length === 0 ? [] : [prlimit, ...set, "--core=0", "--"];
}

/** The limits that aren't held here, and how far. */
export interface NotEnforced {
  readonly limit: keyof RunLimits;
  readonly why: string;
}

export function limitsNotEnforced(limits: RunLimits, facts: LimitFacts): NotEnforced[] {
  const { prlimit, controllers, kernel = release() } = facts;
  const missing = "prlimit (util-linux) is missing";
  const noGroups = "the hub may not make control groups";
  const inProcess = (limit: keyof RunLimits) => (prlimit === undefined ? [{ limit, why: missing }] : []);
  const found: NotEnforced[] = [...inProcess("cpuSeconds"), ...inProcess("fileBytes")];
  if (!controllers.includes("memory")) {
    const why = prlimit === undefined ? missing : "it holds for each process, not for all of a run together";
    found.push({ limit: "memoryBytes", why: `${noGroups}: ${why}` });
  }
  if (!controllers.includes("pids") && (prlimit === undefined || !countsByNamespace(kernel))) {
    const why = prlimit === undefined ? missing : "Linux before 5.14 counts all processes of the user";
    found.push({ limit: "processes", why: `${noGroups}, and ${why}` });
  }
  return found.filter(({ limit }) => limits[limit] !== undefined);
}

/** Each with its reason; those that nobody configured are named as defaults. */
export function unheldInWords(found: readonly NotEnforced[], configured: RunLimits): string[] {
  return found.map(({ limit, why }) => `${limit}${configured[limit] === undefined ? " (default)" : ""}: ${why}`);
}

/** Since 5.14 what a user namespace may start is counted in it. */
function countsByNamespace(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split(/[.-]/).map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}
