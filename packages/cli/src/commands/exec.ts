import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { outcomeSentence } from "@countersign/protocol/describe";
import { MAX_COMMAND_BYTES, type Outcome, type ProposeExecParams } from "@countersign/protocol/proposals";
import { quoteWords } from "@countersign/protocol/text";
import { uuidv7 } from "uuidv7";
import { CliError, EXIT, exitCodeOf, type GlobalOptions, onSignals, ourName } from "../base/index.ts";
import { type ExecTransport, execTransport } from "../connect/index.ts";
import { LiveOutput, printJson } from "../terminal/index.ts";

export interface ExecOptions extends GlobalOptions {
  readonly cwd?: string;
  readonly reason?: string;
  readonly session?: string;
  readonly timeout?: number;
  readonly jail?: NonNullable<ProposeExecParams["jail"]>;
}

/** Most answers by policy come sooner; whoever looks at a terminal for longer should know what to do. */
const SAY_WAITING_AFTER_MS = 1_000;
const CANCEL_AGAIN_AFTER_MS = 100;
const MAX_CANCELS = 50;

/** Proposes a command, waits for its outcome and ends as it ended. */
export async function exec(words: readonly string[], options: ExecOptions): Promise<number> {
  try {
    const params = proposalOf(words, options);
    const startedAtMs = performance.now();
    const outcome = await outcomeOf(await execTransport(options), params, options);
    if (options.json) printJson(outcome);
    else sayHowItEnded(outcome, performance.now() - startedAtMs);
    return exitCodeOf(outcome);
  } catch (cause) {
    // The command may have any exit code, also 1: a failure of ours must not look like its own.
    throw cause instanceof CliError ? cause.withExitCode(EXIT.couldNot) : cause;
  }
}

function proposalOf(words: readonly string[], options: ExecOptions): ProposeExecParams & { proposalId: string } {
  const [only = ""] = words;
  const command = words.length === 1 ? only : quoteWords(words);
  if (Buffer.byteLength(command) > MAX_COMMAND_BYTES) {
    throw new CliError(
      "LIMIT",
      `The command is longer than ${MAX_COMMAND_BYTES} bytes. Put it into a script and propose that.`,
    );
  }
  const { reason, session, timeout, jail } = options;
  return {
    command,
    cwd: resolve(options.cwd ?? "."),
    // Ours, so that it can be withdrawn before the hub has told anything.
    proposalId: uuidv7(),
    ...(reason === undefined ? {} : { reason }),
    ...(session === undefined ? {} : { session }),
    ...(timeout === undefined ? {} : { runTimeoutMs: timeout }),
    ...(jail === undefined ? {} : { jail }),
  };
}

async function outcomeOf(
  door: ExecTransport,
  params: ProposeExecParams & { proposalId: string },
  { json }: ExecOptions,
): Promise<Outcome> {
  const over = new AbortController();
  const stop = () => {
    withdraw(door, params.proposalId, over.signal).catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause);
      process.stderr.write(`countersign: It could not be withdrawn (${why}). Once more leaves without it.\n`);
    });
  };
  const signals = onSignals(stop);
  // Nobody reads any more (`| head`): what still runs isn't wanted.
  const output = new LiveOutput(stop);
  const notice = json || !process.stderr.isTTY ? undefined : setTimeout(sayWaiting, SAY_WAITING_AFTER_MS);
  try {
    if (json) return await door.propose(params);
    return await door.proposeStreamed(params, async (event) => {
      clearTimeout(notice);
      await output.print(event);
    });
  } finally {
    clearTimeout(notice);
    signals.off();
    output.close();
    over.abort();
  }
}

/** A signal can come before the hub has read the proposal; so NOT_FOUND is asked again until there's an outcome. */
async function withdraw(door: ExecTransport, proposalId: string, over: AbortSignal): Promise<void> {
  for (let tries = 0; tries < MAX_CANCELS && !over.aborted; tries += 1) {
    try {
      return await door.cancel(proposalId);
    } catch (cause) {
      if (over.aborted) return;
      if (!(cause instanceof CliError && cause.code === "NOT_FOUND")) throw cause;
      await sleep(CANCEL_AGAIN_AFTER_MS);
    }
  }
}

function sayWaiting(): void {
  process.stderr.write(`No outcome yet: it runs, or waits for an answer. See it with: ${ourName()} pending\n`);
}

function sayHowItEnded(outcome: Outcome, waitedMs: number): void {
  const sentence = outcomeSentence(outcome, waitedMs);
  if (sentence !== undefined) process.stderr.write(`countersign: ${sentence}\n`);
}
