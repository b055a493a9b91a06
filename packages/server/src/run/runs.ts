import type { RunView } from "@countersign/sdk";
import type { Permit } from "../permit/permit.ts";
import type { Withdrawal } from "../propose/withdrawal.ts";
import { filterSecrets } from "../secrets/filter-secrets.ts";
import { redactCommand } from "../secrets/redact-command.ts";

interface Running {
  readonly permit: Permit;
  readonly startedAtMs: number;
}

/** So that a list of all that may run fits a frame. */
const MAX_COMMAND = 500;

/** The commands that run now. */
export class Runs {
  readonly #running = new Map<Withdrawal, Running>();

  get running(): number {
    return this.#running.size;
  }

  add(withdrawal: Withdrawal, run: Running): void {
    this.#running.set(withdrawal, run);
  }

  delete(withdrawal: Withdrawal): void {
    this.#running.delete(withdrawal);
  }

  /** The oldest first; previews aren't runs of their own. */
  list(): RunView[] {
    return [...this.#running.values()].filter(({ permit }) => permit.kind === "local").map(view);
  }

  /** Ends them all, and tells how many there were. Those that wait for an answer or to be started aren't among them. */
  endAll(reason: string): number {
    const running = [...this.#running.keys()];
    for (const withdrawal of running) withdrawal.withdraw(reason);
    return running.length;
  }
}

function view({ permit: { considered, decided }, startedAtMs }: Running): RunView {
  const { proposal, jail, enforcement } = considered;
  const { key, sessionId, agentName, cwd } = proposal;
  const { approvalId } = decided.body;
  const command = redactCommand(proposal.command);
  return {
    key,
    agentId: sessionId,
    agentName,
    command: command.length <= MAX_COMMAND ? command : `${command.slice(0, MAX_COMMAND).toWellFormed()}…`,
    ...{ cwd: filterSecrets(cwd), jail, enforcement, startedAtMs },
    ...(typeof approvalId === "string" ? { approvalId } : {}),
  };
}
