import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { problemSchema } from "@countersign/sdk";
import { CliError } from "../cli-error.ts";
import type { HttpHub } from "./find-hub.ts";
import { parseAnswer, readAnswer, type Schema } from "./read-answer.ts";

export interface HttpCall {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  /** 0 waits without end, as long as a person takes to answer. */
  readonly timeoutMs?: number;
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
  const { status, text, link } = await send(hub, call);
  const json = parseAnswer(text);
  if (status >= 200 && status < 300) return { value: readAnswer(json, schema), link };
  const { code, message } = readAnswer((json as { error?: unknown } | null)?.error, problemSchema);
  if (status === 401 && message.includes("token")) {
    throw new CliError(
      code,
      "The hub doesn't know this token. Check COUNTERSIGN_TOKEN, or unset it to use the home's own.",
    );
  }
  throw new CliError(code, message);
}

/** node:http instead of fetch, which gives up on a hub that waits for a person after five minutes. */
function send({ url, token }: HttpHub, call: HttpCall): Promise<HttpAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const target = new URL(call.path, url);
  const body = call.body === undefined ? "" : JSON.stringify(call.body);
  const request = (target.protocol === "https:" ? requestHttps : requestHttp)(target, {
    method: call.method,
    agent: false,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    },
    timeout: call.timeoutMs ?? TIMEOUT_MS,
  });
  const unreachable = (why: string, cause?: unknown) => {
    reject(new CliError("UNREACHABLE", `The hub at ${url} can't be reached (${why}). Check that it runs.`, { cause }));
    request.destroy();
  };
  request.once("timeout", () => unreachable("no answer in time"));
  request.once("error", (cause) => unreachable(cause.message, cause));
  request.once("response", (response) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) unreachable(`its answer is longer than ${MAX_ANSWER_BYTES} bytes`);
    });
    response.once("error", (cause) => unreachable(cause.message, cause));
    response.once("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      const { link } = response.headers;
      resolve({ status: response.statusCode ?? 0, text, link: Array.isArray(link) ? link.join(", ") : link });
    });
  });
  request.end(body);
  return promise;
}
