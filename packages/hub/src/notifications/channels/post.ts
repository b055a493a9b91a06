import { type IncomingMessage, request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";
import { isIPv4 } from "node:net";
import { addressesOf, NotifyError, readTarget } from "@countersign/core/config";
import type { Reach } from "@countersign/vocabulary";

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string | Buffer | null;
  readonly reach: Reach;
  readonly timeoutMs: number;
  /** Aborted when the message is no longer wanted. */
  readonly signal?: AbortSignal;
}

/** Enough for any answer: only its status is used. */
const MAX_ANSWER_BYTES = 16 * 1024;
const MAX_RETRY_AFTER_MS = 300_000;

/**
 * Sends one request to addresses that were checked before, without proxies or redirects. Resolves if it was accepted;
 * throws NotifyError.
 */
export async function post(wanted: Post): Promise<void> {
  const url = readTarget(wanted.url, wanted.reach);
  const late = AbortSignal.timeout(wanted.timeoutMs);
  const signal = wanted.signal ? AbortSignal.any([late, wanted.signal]) : late;
  try {
    const addresses = await unlessLate(addressesOf(url, wanted.reach), signal);
    judge(await ask(url, { ...wanted, addresses, signal }));
  } catch (cause) {
    if (cause instanceof NotifyError) throw cause;
    if (late.aborted) throw new NotifyError("TIMED_OUT", "It didn't answer in time", { cause });
    throw new NotifyError("UNREACHABLE", `It can't be reached (${codeOf(cause)})`, { cause });
  }
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

function ask(
  url: URL,
  { headers, body, addresses, signal }: Post & { readonly addresses: readonly string[]; readonly signal: AbortSignal },
): Promise<Answer> {
  const request = url.protocol === "https:" ? tlsRequest : plainRequest;
  const found = addresses.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 }));
  const length = body === null ? 0 : Buffer.byteLength(body);
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: "POST",
      headers: { "user-agent": "countersign", ...headers, "content-length": length },
      agent: false,
      signal,
      // Already looked up and checked: a name that resolves differently a moment later (DNS rebinding) changes nothing.
      lookup: (_name, _options, answer) => answer(null, found),
    });
    sent.once("error", reject);
    sent.once("response", (answer) => {
      drain(answer).then(
        () => resolve({ status: answer.statusCode ?? 0, retryAfter: answer.headers["retry-after"] }),
        reject,
      );
    });
    sent.end(body ?? undefined);
  });
}

/** Reads the answer to its end or to the limit. */
async function drain(answer: IncomingMessage): Promise<void> {
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_ANSWER_BYTES) break;
  }
  answer.destroy();
}

function judge({ status, retryAfter }: Answer): void {
  if (status >= 200 && status < 300) return;
  const said = `It answered ${status}`;
  if (status >= 300 && status < 400)
    throw new NotifyError("REDIRECTED", `${said}: it leads elsewhere, which isn't followed`);
  if (status === 404 || status === 410) throw new NotifyError("GONE", said);
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    const seconds = Number(retryAfter);
    const waitMs = Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1_000, MAX_RETRY_AFTER_MS) : undefined;
    throw new NotifyError("BUSY", said, waitMs === undefined ? {} : { retryAfterMs: waitMs });
  }
  throw new NotifyError("REFUSED", said);
}

function unlessLate<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

function codeOf(cause: unknown): string {
  const { code } = cause as { readonly code?: unknown };
  return typeof code === "string" ? code : "no answer";
}
