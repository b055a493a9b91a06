import { Agent, type IncomingMessage, request } from "node:http";
import { ACCESS_TOKEN } from "../../wire/index.ts";

/** Answers to the proxy's own questions are small. */
const MOST_READ = 1024 * 1024;
const MOST_SOCKETS = 16;

export interface OwnAnswer {
  readonly status: number;
  readonly json: unknown;
}

/** The proxy's own calls to execd, with the token of the agent that they are about. */
export class OwnCalls {
  readonly #origin: URL;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: MOST_SOCKETS });

  constructor(origin: URL) {
    this.#origin = origin;
  }

  /** null where there was no answer within the time. */
  get(path: string, token: string | undefined, timeoutMs: number): Promise<OwnAnswer | null> {
    const { promise, resolve } = Promise.withResolvers<OwnAnswer | null>();
    const call = request(new URL(path, this.#origin), {
      agent: this.#agent,
      headers: token === undefined ? {} : { [ACCESS_TOKEN]: token },
      signal: AbortSignal.timeout(timeoutMs),
    });
    call.on("response", (answer) => readAnswer(answer, resolve));
    call.on("error", () => resolve(null));
    call.end();
    return promise;
  }

  close(): void {
    this.#agent.destroy();
  }
}

function readAnswer(answer: IncomingMessage, resolve: (read: OwnAnswer | null) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  answer.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length <= MOST_READ) chunks.push(chunk);
  });
  answer.on("error", () => resolve(null));
  answer.on("close", () => resolve(answer.complete ? { status: answer.statusCode ?? 0, json: parse(chunks) } : null));
}

function parse(chunks: readonly Buffer[]): unknown {
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
}
