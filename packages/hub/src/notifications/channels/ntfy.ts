import type { Clock } from "@countersign/core/base";
import { type ChannelConfig, keyFileOf, readApiKey } from "@countersign/core/config";
import type { Deliveries, Delivery } from "./deliveries.ts";
import { linkTo } from "./link-to.ts";
import { type Notice, wordsOf } from "./notice.ts";
import type { HttpChannel, SignedPoster } from "./webhook.ts";

type NtfyConfig = Extract<ChannelConfig, { kind: "ntfy" }>;

/** One sequence id, so that servers from 2.16 on replace the last message. Older ones show another. */
const SEQUENCE = "countersign";
const PRIORITY = { min: 1, normal: 3, high: 4 } as const;
const WITHDRAWAL_MS = 600_000;

interface NtfyOptions {
  readonly deliveries: Deliveries;
  readonly poster: SignedPoster;
  readonly clock: Clock;
  readonly keysDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Base address of the page as people reach it. */
  readonly page: string | undefined;
}

/**
 * Sends to a server that speaks ntfy's JSON. Only the newest message is kept, because it covers all pending approvals.
 */
export function openNtfy(name: string, config: NtfyConfig, options: NtfyOptions): HttpChannel {
  const { url, topic } = splitTopic(config.url);
  const { deliveries, poster, clock, keysDir, env, page } = options;
  const delivery = (message: object, untilMs: number): Delivery => ({
    untilMs,
    attempt: async (signal) => {
      const token = readApiKey(keyFileOf(keysDir, `ntfy-${name}`), config.tokenEnv, env);
      const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const body = JSON.stringify({ topic, sequence_id: SEQUENCE, ...message });
      await poster.post(name, { ...config, url }, { body, signal, headers });
    },
  });
  return {
    deliveries,
    raise(notice) {
      deliveries.add(delivery(messageOf(notice, config, page), notice.untilMs));
    },
    withdraw() {
      const message = { title: "Nothing waits any more", message: "It was answered.", priority: PRIORITY.min };
      deliveries.add(delivery(message, clock.wallMs() + WITHDRAWAL_MS));
    },
    test: () => {
      const message = {
        title: "Countersign can reach you here",
        message: "This is a test.",
        priority: PRIORITY.normal,
      };
      return deliveries.try(delivery(message, Number.POSITIVE_INFINITY));
    },
  };
}

function messageOf(notice: Notice, { showDangerous }: NtfyConfig, page: string | undefined): object {
  const { title, body, approvalId } = wordsOf(notice, { showDangerous });
  const called = notice.dangerous > 0 ? PRIORITY.high : PRIORITY.normal;
  const click = linkTo(page, approvalId);
  return { title, message: body, priority: notice.alert ? called : PRIORITY.min, ...(click ? { click } : {}) };
}

/** Splits the topic off, which is the last part of the path. */
function splitTopic(text: string): { readonly url: string; readonly topic: string } {
  const url = new URL(text);
  const at = url.pathname.lastIndexOf("/");
  const topic = url.pathname.slice(at + 1);
  url.pathname = url.pathname.slice(0, at + 1);
  return { url: url.href, topic };
}
