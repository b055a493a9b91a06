import type { IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { problemSchema } from "@countersign/protocol/proposals";
import { CliError } from "../base/index.ts";
import type { HttpHub } from "./find-hub.ts";
import { parseAnswer, readAnswer, type Schema } from "./read-answer.ts";

// Imported as a module, it would bring a browser's fetch and WebSocket along: a fifth of a command's whole time.
const { request: requestHttp } = process.getBuiltinModule("node:http");

export interface HttpCall {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  /** 0 waits without end, as long as a person takes to answer. */
  readonly timeoutMs?: number;
  readonly accept?: string;
  /** Whoever called has no use for an answer any more. */
  readonly gone?: AbortSignal | undefined;
}

interface HttpAnswer {
  readonly status: number;
  readonly text: string;
  readonly link: string | undefined;
}

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** One call to the hub's HTTP door; `link` is the header of that name. A refusal is thrown with the wire's code. */
export async function callHttp<T>(
  hub: HttpHub,
  call: HttpCall,
  schema: Schema<T>,
): Promise<{ value: T; link: string | undefined }> {
  const { status, text, link } = await collect(hub, await openHttp(hub, call));
  const json = parseAnswer(text);
  if (status >= 200 && status < 300) return { value: readAnswer(json, schema), link };
  throw refusal(status, json);
}

export function refusal(status: number, json: unknown): CliError {
  const { code, message } = readAnswer((json as { error?: unknown } | null)?.error, problemSchema);
  if (status === 401 && message.includes("token")) {
    return new CliError(
      code,
      "The hub rejected this token. Check COUNTERSIGN_TOKEN, or unset it to use the data directory's.",
    );
  }
  return new CliError(code, message);
}

/** node:http instead of fetch, which gives up on a hub that waits for a person after five minutes. */
export function openHttp(hub: HttpHub, call: HttpCall): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const target = new URL(call.path, hub.url);
  const body = call.body === undefined ? "" : JSON.stringify(call.body);
  const request = (target.protocol === "https:" ? requestHttps : requestHttp)(target, {
    method: call.method,
    agent: false,
    headers: {
      authorization: `Bearer ${hub.token}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      ...(call.accept === undefined ? {} : { accept: call.accept }),
    },
    timeout: call.timeoutMs ?? TIMEOUT_MS,
    ...(call.gone === undefined ? {} : { signal: call.gone }),
  });
  request.once("timeout", () => request.destroy(new Error("no answer in time")));
  request.on("error", (cause) => reject(unreachable(hub, cause)));
  request.once("response", resolve);
  request.end(body);
  return promise;
}

/** The whole of an answer. */
export async function collect(hub: HttpHub, response: IncomingMessage): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) throw new Error(`its answer is longer than ${MAX_ANSWER_BYTES} bytes`);
    }
  } catch (cause) {
    throw unreachable(hub, cause);
  }
  const { link } = response.headers;
  const text = Buffer.concat(chunks).toString("utf8");
  return { status: response.statusCode ?? 0, text, link: Array.isArray(link) ? link.join(", ") : link };
}

export function unreachable({ url }: HttpHub, cause: unknown): CliError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new CliError("UNREACHABLE", `The hub at ${url} can't be reached (${why}). Check that it runs.`, { cause });
}
