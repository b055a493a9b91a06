import { constants } from "node:os";
import { LOCAL_AGENT, localAgent } from "@countersign/core/base";
import { HubError, readOrRefuse } from "@countersign/core/errors";
import { Attachment } from "@countersign/jail";
import { wordsForAgent } from "@countersign/protocol/describe";
import type { Outcome } from "@countersign/protocol/proposals";
import {
  type RunPermitEnd,
  type RunPermitLine,
  runPermitLineSchema,
  runPermitSchema,
} from "@countersign/protocol/wire";
import { EXIT } from "@countersign/vocabulary";
import type { Hub } from "../hub/index.ts";
import { readJson } from "./read-json.ts";

/** The connection that claimed the permit. */
interface RunnerConnection {
  readonly send: (line: object) => Promise<void>;
  /** Calls `take` with each line from now on. */
  readonly onLine: (take: (line: Buffer) => void) => void;
}

/**
 * Starts what a permit allows: sends its output, passes its input on, and ends it if the claimant says so or
 * disconnects.
 */
export async function runPermit(
  params: unknown,
  hub: Hub,
  { send, onLine }: RunnerConnection,
  signal: AbortSignal,
): Promise<RunPermitEnd> {
  const { permit, agent, input = false, terminal } = readOrRefuse(runPermitSchema, params);
  const identity = agent === undefined ? LOCAL_AGENT : localAgent(agent);
  const attachment = new Attachment({ input: input || terminal !== undefined, terminal });
  const ended = new AbortController();
  const outcome = hub.proposals.claim(permit, identity, { attachment, gone: AbortSignal.any([signal, ended.signal]) });
  // The output is read only later.
  outcome.catch(() => attachment.finish());
  const given = new RunInput(attachment, { end: () => ended.abort(), send });
  onLine((line) => {
    given.take(line).catch(() => ended.abort());
  });
  for await (const output of attachment.texts()) await send({ output });
  return endOf(await outcome, attachment);
}

interface RunControls {
  readonly send: (line: object) => Promise<void>;
  readonly end: () => void;
}

/** Hands a run the input and commands that come while it goes on. */
class RunInput {
  readonly #attachment: Attachment;
  readonly #controls: RunControls;
  #isGiving = false;

  constructor(attachment: Attachment, controls: RunControls) {
    this.#attachment = attachment;
    this.#controls = controls;
  }

  async take(bytes: Buffer): Promise<void> {
    const line = readLine(bytes);
    if ("end" in line) this.#controls.end();
    else if ("size" in line) await this.#attachment.resize(line.size);
    else if (line.input === null) await this.#attachment.endInput();
    else await this.#give(Buffer.from(line.input, "base64"));
  }

  /** Takes one piece at a time: the next may come after the answer. */
  async #give(input: Buffer): Promise<void> {
    if (this.#isGiving) throw new HubError("LIMIT", "Input is given a piece at a time");
    this.#isGiving = true;
    await this.#attachment.give(input);
    this.#isGiving = false;
    await this.#controls.send({ taken: true });
  }
}

/** Reads a line of the runner. An invalid line ends the run, because our runner sends none. */
function readLine(bytes: Buffer): RunPermitLine {
  const reading = runPermitLineSchema.safeParse(readJson(bytes));
  if (!reading.success) throw new HubError("INVALID_PARAMS", "Not a line of a runner");
  return reading.data;
}

/**
 * Converts an outcome to a shell's exit code; for a command that never ran, to that of one that couldn't be executed.
 */
function endOf(outcome: Outcome, { shellReport }: Attachment): RunPermitEnd {
  const sentences = [wordsForAgent(outcome, 0), shellReport && leftBehind(shellReport.background)].filter(
    (one) => one !== undefined,
  );
  return {
    exitCode: exitCodeOf(outcome),
    ...(sentences.length === 0 ? {} : { sentence: sentences.join(" ") }),
    ...(shellReport && { directory: shellReport.directory }),
  };
}

function leftBehind(background: number): string | undefined {
  if (background === 0) return undefined;
  const what = background === 1 ? "1 background job was" : `${background} background jobs were`;
  return `${what} ended with the command, which nothing in its jail outlives: run what should go on as a background command of its own.`;
}

function exitCodeOf({ kind, exitCode, signal }: Outcome): number {
  switch (kind) {
    case "exited":
      return exitCode ?? EXIT.couldNot;
    case "signalled":
      return 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
    case "timed-out":
      return EXIT.timedOut;
    case "aborted":
      return EXIT.aborted;
    case "interrupted":
      return EXIT.couldNot;
    default:
      return EXIT.denied;
  }
}
