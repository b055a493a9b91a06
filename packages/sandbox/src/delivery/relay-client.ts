import { statSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { type Bundle, readBundle } from "../ca/index.ts";
import type { DeliveryLimits } from "./limits.ts";

/** What became of one frame. `again`: it is or isn't there; send it again under the same key. */
type FrameResult = "taken" | "refused" | "again";

export interface BatchResult {
  /** One for each frame. */
  readonly results: readonly FrameResult[];
  readonly retryAfterMs: number | undefined;
  /** Why, where not all was taken. */
  readonly problem: string | undefined;
}

interface RelayClientOptions {
  readonly url: URL;
  readonly bundle: string;
  /** Whose bundle it has to be. */
  readonly sandboxId: string;
  readonly limits: DeliveryLimits;
}

/** One connection to the relay, kept: TLS 1.3, with the sandbox's certificate, to whom the same CA vouches for. */
export class RelayClient {
  readonly #options: RelayClientOptions;
  #agent: Agent | undefined;
  #stamp = "";

  constructor(options: RelayClientOptions) {
    this.#options = options;
  }

  /** Never rejects. */
  async post(lines: readonly Buffer[]): Promise<BatchResult> {
    try {
      const { status, retryAfterMs, body } = await this.#send(Buffer.concat(lines));
      return { ...readResults(status, body, lines.length), retryAfterMs };
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      return { results: lines.map(() => "again"), retryAfterMs: undefined, problem: code ?? message };
    }
  }

  close(): void {
    this.#agent?.destroy();
  }

  #send(body: Buffer): Promise<{ status: number; retryAfterMs: number | undefined; body: string }> {
    const { url, limits } = this.#options;
    const headers = { "content-type": "application/x-ndjson", "content-length": body.length };
    const options = { method: "POST", agent: this.#agentNow(), headers, timeout: limits.answerMs };
    return new Promise((resolve, reject) => {
      const sent = request(new URL("/ingest", url), options, (response) => {
        readBody(response, limits.answerBytes).then((text) => {
          const { statusCode = 0, headers: got } = response;
          resolve({ status: statusCode, retryAfterMs: this.#retryAfterMs(got["retry-after"]), body: text });
        }, reject);
      });
      sent.on("timeout", () => sent.destroy(new Error("the relay doesn't answer")));
      sent.on("error", reject);
      sent.end(body);
    });
  }

  /** A bundle that was renewed is used from the next request on. */
  #agentNow(): Agent {
    const { bundle: path, url, sandboxId, limits } = this.#options;
    const { ino, mtimeMs, size } = statSync(path);
    const stamp = [ino, mtimeMs, size].join();
    if (this.#agent && stamp === this.#stamp) return this.#agent;
    const bundle = readBundleOf(path, sandboxId);
    this.#agent?.destroy();
    this.#stamp = stamp;
    this.#agent = new Agent({
      ...{ keepAlive: true, maxSockets: 1, maxCachedSessions: 0, timeout: limits.connectMs },
      ...{ key: bundle.key, cert: bundle.cert, ca: [bundle.ca], minVersion: "TLSv1.3", rejectUnauthorized: true },
      ...(isName(url.hostname) ? { servername: url.hostname } : {}),
    });
    return this.#agent;
  }

  #retryAfterMs(header: string | undefined): number | undefined {
    const seconds = /^\d{1,6}$/.test(header ?? "") ? Number(header) : undefined;
    return seconds === undefined ? undefined : Math.min(seconds * 1_000, this.#options.limits.retryAfterMaxMs);
  }
}

/** Throws CaError, or where it is another sandbox's. */
export function readBundleOf(path: string, sandboxId: string): Bundle {
  const bundle = readBundle(path);
  if (bundle.sandboxId !== sandboxId) throw new Error(`the bundle is ${bundle.sandboxId ?? "no sandbox"}'s`);
  return bundle;
}

function isName(host: string): boolean {
  return !/^[\d.]+$|^\[/.test(host);
}

async function readBody(response: IncomingMessage, most: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > most) throw new Error("the relay's answer is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

interface Line {
  readonly status?: unknown;
  readonly error?: { readonly code?: unknown };
}

function readResults(status: number, body: string, count: number): Omit<BatchResult, "retryAfterMs"> {
  const lines = readLines(body);
  const problem = lines.map((line) => line.error?.code).find((code) => typeof code === "string") as string | undefined;
  if ((status === 200 || status === 207) && lines.length === count)
    return { results: lines.map((line) => resultOf(Number(line.status))), problem };
  // Not about single frames: the certificate, the rate, the size of it all. One that is alone in it is meant itself.
  const isAlone = count === 1 && (status === 413 || status === 422);
  return { results: new Array(count).fill(isAlone ? "refused" : "again"), problem: problem ?? `HTTP ${status}` };
}

function resultOf(status: number): FrameResult {
  if (status === 200) return "taken";
  // 403 for one frame: it names another sandbox, and always will.
  return status === 413 || status === 422 || status === 403 ? "refused" : "again";
}

function readLines(body: string): Line[] {
  try {
    return body
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Line);
  } catch {
    // Something that isn't a relay answers: nothing is known of any frame.
    return [];
  }
}
