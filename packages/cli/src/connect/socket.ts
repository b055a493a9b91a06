import { connect, type Socket } from "node:net";
import type { ToolStage } from "@countersign/protocol/hub";
import type { OutputEvent } from "@countersign/protocol/proposals";
import { type SocketRequest, socketLineSchema } from "@countersign/protocol/wire";
import { CliError, homeFiles, noHub } from "../base/index.ts";
import { linesOf } from "./lines-of.ts";
import { parseAnswer, readAnswer, type Schema } from "./read-answer.ts";

/** Twice the largest output that a hub can be configured to keep, and room for its JSON. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** Called for each piece of output; the next is read once it has resolved. */
export type OnOutput = (event: OutputEvent) => Promise<void>;

/** What is told before the answer. */
interface Before {
  readonly onOutput?: OnOutput;
  readonly onStage?: (stage: ToolStage) => void;
}

/** One question over the hub's local socket. Waits as long as a person takes to answer. */
export async function askSocket<T>(
  homeDir: string,
  request: SocketRequest,
  schema: Schema<T>,
  onOutput?: OnOutput,
): Promise<T> {
  const line = await HubLine.open(homeDir);
  try {
    return await line.ask(request, schema, onOutput === undefined ? {} : { onOutput });
  } finally {
    line.close();
  }
}

/** A connection for questions that belong together: closing it withdraws what waits, and gives up what it was permitted. */
export class HubLine {
  readonly #socket: Socket;
  readonly #lines: AsyncGenerator<string>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#lines = fromHub(linesOf(socket, MAX_ANSWER_BYTES));
  }

  static async open(homeDir: string): Promise<HubLine> {
    return new HubLine(await open(homeDir));
  }

  /** One at a time. */
  async ask<T>(request: SocketRequest, schema: Schema<T>, { onOutput, onStage }: Before = {}): Promise<T> {
    this.#socket.write(`${JSON.stringify(request)}\n`);
    for (;;) {
      const { value: line, done } = await this.#lines.next();
      if (done) throw gone();
      const answer = readAnswer(parseAnswer(line), socketLineSchema);
      if ("output" in answer) await onOutput?.(answer.output);
      else if ("stage" in answer) onStage?.(answer.stage);
      else if (answer.ok) return readAnswer(answer.payload, schema);
      else throw new CliError(answer.error.code, answer.error.message);
    }
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** Whether a hub holds this home's socket. Only this user can have made that file, so nobody else can pose as it. */
export async function isListening(homeDir: string): Promise<boolean> {
  try {
    (await open(homeDir)).destroy();
    return true;
  } catch (cause) {
    if (cause instanceof CliError && cause.code === "NO_HUB") return false;
    throw cause;
  }
}

function open(homeDir: string): Promise<Socket> {
  const { socket: path } = homeFiles(homeDir);
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("connect", () => resolve(socket));
    socket.once("error", (cause: NodeJS.ErrnoException) => {
      if (cause.code === "EACCES" || cause.code === "EPERM") {
        const message = `${path} belongs to another user. Use that user's account, or --url with a token.`;
        reject(new CliError("UNREACHABLE", message, { cause }));
      } else {
        reject(noHub(homeDir, cause));
      }
    });
  });
}

async function* fromHub(lines: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    yield* lines;
  } catch (cause) {
    throw cause instanceof CliError ? cause : gone(cause);
  }
}

function gone(cause?: unknown): CliError {
  return new CliError(
    "HUB_GONE",
    "The hub stopped before it replied. Run `countersign receipts list` to see whether the command ran.",
    {
      cause,
    },
  );
}
