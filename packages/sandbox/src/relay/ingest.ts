import type { IncomingMessage, ServerResponse } from "node:http";
import type { Forwarder, Taken } from "./forward.ts";
import type { RelayLimits } from "./limits.ts";
import type { Rates } from "./rate.ts";
import { type RelayFrame, readFrame } from "./read-frame.ts";
import { RelayError } from "./relay-error.ts";

export interface IngestOptions {
  readonly forwarder: Forwarder;
  readonly rates: Rates;
  readonly limits: RelayLimits;
  readonly count: (result: string) => void;
}

interface Answer {
  readonly status: number;
  readonly state?: Taken;
  readonly error?: { readonly code: string; readonly message: string };
  readonly retryAfterS?: number | undefined;
}

const NEWLINE = 0x0a;
const FORMS = { "application/json": "one", "application/x-ndjson": "lines" } as const;

/** `POST /ingest`: one frame as JSON, or several as lines, each answered. 200 means durable. */
export class Ingest {
  readonly #forwarder: Forwarder;
  readonly #rates: Rates;
  readonly #limits: RelayLimits;
  readonly #count: (result: string) => void;
  /** Of bodies that are being dealt with. */
  #heldBytes = 0;

  constructor(options: IngestOptions) {
    this.#forwarder = options.forwarder;
    this.#rates = options.rates;
    this.#limits = options.limits;
    this.#count = options.count;
  }

  async handle(request: IncomingMessage, response: ServerResponse, sandboxId: string): Promise<void> {
    let held = 0;
    const hold = (bytes: number) => {
      held += bytes;
      this.#heldBytes += bytes;
      if (this.#heldBytes > this.#limits.heldBytes)
        throw new RelayError("BUSY", "The relay has too much to do at once", { retryAfterS: 1 });
    };
    try {
      const form = formOf(request);
      const body = await this.#readBody(request, hold);
      const lines = form === "one" ? [body] : linesOf(body, this.#limits.framesPerRequest);
      this.#rates.take(sandboxId, lines.length, body.length);
      const answers = await this.#take(lines, sandboxId);
      if (form === "one") sendOne(response, answers[0] as Answer);
      else sendLines(response, answers);
    } catch (cause) {
      if (!(cause instanceof RelayError)) throw cause;
      this.#count(cause.code);
      sendOne(response, answerOf(cause));
    } finally {
      this.#heldBytes -= held;
    }
  }

  async #readBody(request: IncomingMessage, hold: (bytes: number) => void): Promise<Buffer> {
    const { bodyBytes } = this.#limits;
    const tooLong = () =>
      new RelayError("BODY_TOO_LONG", `A request has at most ${bodyBytes} bytes (limit: bodyBytes)`);
    if (Number(request.headers["content-length"] ?? 0) > bodyBytes) throw tooLong();
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > bodyBytes) throw tooLong();
      hold(chunk.length);
      chunks.push(chunk);
    }
    if (bytes === 0) throw new RelayError("EMPTY_BODY", "There is no frame in it");
    return Buffer.concat(chunks);
  }

  async #take(lines: readonly Buffer[], sandboxId: string): Promise<Answer[]> {
    const read = lines.map((line) => this.#read(line, sandboxId));
    const frames = read.filter((each): each is RelayFrame => !(each instanceof RelayError));
    const taken = frames.length === 0 ? [] : await this.#forwarder.forward(frames);
    return read.map((each) => answerOf(each instanceof RelayError ? each : (taken.shift() as Taken | RelayError)));
  }

  #read(line: Buffer, sandboxId: string): RelayFrame | RelayError {
    try {
      const { frameBytes } = this.#limits;
      if (line.length > frameBytes)
        throw new RelayError("FRAME_TOO_LONG", `A frame has at most ${frameBytes} bytes (limit: frameBytes)`);
      return readFrame(line, sandboxId);
    } catch (cause) {
      if (!(cause instanceof RelayError)) throw cause;
      this.#count(cause.code);
      return cause;
    }
  }
}

function formOf({ method, url, headers }: IncomingMessage): "one" | "lines" {
  if (url !== "/ingest" || method !== "POST")
    throw new RelayError("NOT_FOUND", "There is POST /ingest here, and nothing else");
  const type = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (!Object.hasOwn(FORMS, type)) throw new RelayError("WRONG_TYPE", "application/json, or application/x-ndjson");
  if (headers["content-encoding"] !== undefined) throw new RelayError("WRONG_TYPE", "Without a content-encoding");
  return FORMS[type as keyof typeof FORMS];
}

/** The last line may end without a newline. An empty one is no frame, and is answered as that. */
function linesOf(body: Buffer, most: number): Buffer[] {
  const lines: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const end = body.indexOf(NEWLINE, at);
    lines.push(body.subarray(at, end === -1 ? body.length : end));
    if (lines.length > most)
      throw new RelayError("TOO_MANY_LINES", `A request has at most ${most} frames (limit: framesPerRequest)`);
    at = end === -1 ? body.length : end + 1;
  }
  return lines;
}

function answerOf(result: Taken | RelayError): Answer {
  if (!(result instanceof RelayError)) return { status: 200, state: result };
  const { status, code, message, retryAfterS } = result;
  return { status, error: { code, message }, retryAfterS };
}

function sendOne(response: ServerResponse, { retryAfterS, ...answer }: Answer): void {
  send(response, { status: answer.status, type: "application/json", body: JSON.stringify(answer), retryAfterS });
}

/** 200: all are durable. 207: each line says for its frame. */
function sendLines(response: ServerResponse, answers: readonly Answer[]): void {
  const waits = answers.flatMap(({ retryAfterS }) => retryAfterS ?? []);
  const body = answers.map(({ retryAfterS: _, ...answer }) => `${JSON.stringify(answer)}\n`).join("");
  const status = answers.every((answer) => answer.status === 200) ? 200 : 207;
  const retryAfterS = waits.length === 0 ? undefined : Math.max(...waits);
  send(response, { status, type: "application/x-ndjson", body, retryAfterS });
}

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly retryAfterS: number | undefined;
}

export function send(response: ServerResponse, { status, type, body, retryAfterS }: Reply): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, {
    ...{ "content-type": type, "content-length": Buffer.byteLength(body) },
    ...(retryAfterS === undefined ? {} : { "retry-after": String(retryAfterS) }),
    // What is left of a body that wasn't read isn't the next request.
    ...(response.req.complete ? {} : { connection: "close" }),
  });
  response.end(body);
}
