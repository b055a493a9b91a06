import { HubError } from "@countersign/core/errors";
import { filterSecrets, redactCommand } from "@countersign/core/redaction";
import type { Withdrawal } from "@countersign/jail";
import type { Outcome, OutcomeWithoutOutput, RunEnded, RunView } from "@countersign/protocol/proposals";
import { RunNews } from "../events/index.ts";
import type { Permit } from "../permits/index.ts";

interface Running {
  readonly permit: Permit;
  readonly startedAtMs: number;
}

/** So that a list of all that may run fits a frame. */
const MAX_COMMAND = 500;

/** The commands that run now. */
export class Runs {
  readonly news = new RunNews();
  readonly #running = new Map<Withdrawal, Running>();

  get running(): number {
    return this.#running.size;
  }

  add(withdrawal: Withdrawal, run: Running): void {
    this.#running.set(withdrawal, run);
    if (isListed(run)) this.news.tell(() => ({ kind: "started", run: view(run) }));
  }

  /** Without an outcome, how it ended could not be recorded. */
  delete(withdrawal: Withdrawal, outcome: Outcome | undefined): void {
    const run = this.#running.get(withdrawal);
    this.#running.delete(withdrawal);
    if (run && isListed(run)) this.news.tell(() => ({ kind: "ended", ended: ended(run, outcome) }));
  }

  /** The oldest first. */
  list(): RunView[] {
    return [...this.#running.values()].filter(isListed).map(view);
  }

  /** Ends one of those that are listed. What only waits isn't among them. */
  stop(key: string, reason: string): void {
    for (const [withdrawal, run] of this.#running) {
      if (!isListed(run) || run.permit.assessment.proposal.key !== key) continue;
      withdrawal.withdraw(reason);
      return;
    }
    throw new HubError("NOT_FOUND", "No such command runs: it may have ended");
  }

  /** Ends them all, and tells how many there were. Those that wait for an answer or to be started aren't among them. */
  endAll(reason: string): number {
    const running = [...this.#running.keys()];
    for (const withdrawal of running) withdrawal.withdraw(reason);
    return running.length;
  }
}

/** Previews aren't runs of their own. */
function isListed({ permit }: Running): boolean {
  return permit.kind === "local";
}

function ended({ permit }: Running, outcome: Outcome | undefined): RunEnded {
  const { key } = permit.assessment.proposal;
  return outcome === undefined ? { key } : { key, outcome: withoutOutput(outcome) };
}

function view({ permit: { assessment, decided }, startedAtMs }: Running): RunView {
  const { proposal, jail, enforcement } = assessment;
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

export function withoutOutput({ stdout: _, stderr: __, ...outcome }: Outcome): OutcomeWithoutOutput {
  return outcome;
}
