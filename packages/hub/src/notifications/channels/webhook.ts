import { createHmac, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import type { Clock } from "@countersign/core/base";
import { type ChannelConfig, keyFileOf, NotifyError, readApiKey } from "@countersign/core/config";
import { knownSecrets } from "@countersign/core/redaction";
import { uuidv7 } from "uuidv7";
import type { Deliveries, Delivery } from "./deliveries.ts";
import { linkTo } from "./link-to.ts";
import type { Channel } from "./notice.ts";
import { mayShow, type Notice, wordsOf } from "./notice.ts";
import { post } from "./post.ts";

/** A channel over HTTP that `config.json` names. */
export interface HttpChannel extends Channel {
  readonly deliveries: Deliveries;
  /** Sends a test message. Throws NotifyError. */
  test(): Promise<void>;
}

type WebhookConfig = Extract<ChannelConfig, { kind: "webhook" }>;

const TEST_WORDS = { title: "Countersign can reach you here", body: "This is a test. Nothing waits because of it." };
/** How long a withdrawal is worth sending. */
const WITHDRAWAL_MS = 600_000;

interface PosterOptions {
  readonly keysDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** Timeout of one request. */
  readonly timeoutMs: number;
}

interface Request {
  readonly body: string;
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Posts JSON that is signed with the channel's secret. */
export class SignedPoster {
  readonly #keysDir: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #clock: Clock;
  readonly #timeoutMs: number;

  constructor({ keysDir, env, clock, timeoutMs }: PosterOptions) {
    this.#keysDir = keysDir;
    this.#env = env;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** Signs at each attempt, because the receiver compares the time with its own clock. */
  async post(
    name: string,
    { url, reach, secretEnv }: Pick<ChannelConfig, "url" | "reach" | "secretEnv">,
    { body, signal, headers }: Request,
  ): Promise<void> {
    const secret = channelSecret(name, secretEnv, this.#keysDir, this.#env);
    const signed = signBody(body, { secret, nowMs: this.#clock.wallMs() });
    const sent = { "content-type": "application/json", ...signed, ...headers };
    await post({ url, reach, headers: sent, body, timeoutMs: this.#timeoutMs, signal });
  }
}

interface WebhookOptions {
  readonly deliveries: Deliveries;
  readonly poster: SignedPoster;
  readonly clock: Clock;
  /** Base address of the page as people reach it. */
  readonly page: string | undefined;
}

/** Sends one signed POST of JSON per notification. A retry has the same id. */
export function openWebhook(name: string, config: WebhookConfig, options: WebhookOptions): HttpChannel {
  const { deliveries, poster, clock, page } = options;
  const delivery = (type: "waits" | "withdrawn" | "test", more: object, untilMs: number): Delivery => {
    const body = JSON.stringify({ id: uuidv7(), type, atMs: clock.wallMs(), ...more });
    return { untilMs, attempt: (signal) => poster.post(name, config, { body, signal }) };
  };
  return {
    deliveries,
    raise(notice) {
      deliveries.add(delivery("waits", messageOf(notice, config, page), notice.untilMs));
    },
    withdraw() {
      deliveries.add(delivery("withdrawn", {}, clock.wallMs() + WITHDRAWAL_MS));
    },
    test: () => deliveries.try(delivery("test", TEST_WORDS, Number.POSITIVE_INFINITY)),
  };
}

function messageOf(notice: Notice, { showDangerous }: WebhookConfig, page: string | undefined): object {
  const { title, body, approvalId } = wordsOf(notice, { showDangerous });
  const approvals = notice.named.map(({ command, ...rest }) => {
    const link = linkTo(page, rest.approvalId);
    return { ...rest, ...(mayShow(rest.riskLevel, showDangerous) ? { command } : {}), ...(link ? { link } : {}) };
  });
  const link = linkTo(page, approvalId);
  const { count, dangerous, alert } = notice;
  return { title, body, count, dangerous, alert, approvals, ...(link ? { link } : {}) };
}

interface Signed {
  readonly "countersign-timestamp": string;
  readonly "countersign-signature": string;
}

/**
 * Returns an HMAC-SHA256 over `<timestamp>.<body>`, with the timestamp in Unix seconds. With the secret a receiver can
 * verify that the message is ours, unchanged and recent.
 */
function signBody(body: string, { secret, nowMs }: { readonly secret: string; readonly nowMs: number }): Signed {
  const timestamp = `${Math.floor(nowMs / 1_000)}`;
  const mac = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
  return { "countersign-timestamp": timestamp, "countersign-signature": `v1=${mac}` };
}

/**
 * Returns the channel's signing secret, from the environment or `keys/notify-<name>.key`, which is created if missing.
 * Redacts it everywhere from then on.
 */
function channelSecret(name: string, secretEnv: string | undefined, keysDir: string, env: NodeJS.ProcessEnv): string {
  const path = keyFileOf(keysDir, `notify-${name}`);
  const known = readApiKey(path, secretEnv, env);
  if (known !== undefined) return known;
  if (secretEnv !== undefined)
    throw new NotifyError("REFUSED", `${secretEnv} isn't set, and messages aren't sent without a signature`);
  const made = randomBytes(32).toString("base64url");
  writeFileSync(path, `${made}\n`, { mode: 0o600, flag: "wx" });
  knownSecrets.keep(made);
  return made;
}
