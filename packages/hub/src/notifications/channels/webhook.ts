import type { ChannelConfig } from "@countersign/core/config";
import { uuidv7 } from "uuidv7";
import type { Channel } from "./channel.ts";
import { channelSecret, type SecretRooms } from "./channel-secret.ts";
import { Deliveries, type Delivery, type DeliveryRooms } from "./deliveries.ts";
import { linkTo } from "./link-to.ts";
import { mayShow, type Notice, wordsOf } from "./notice.ts";
import { post } from "./post.ts";
import { signBody } from "./sign-body.ts";

export interface HttpChannelRooms extends DeliveryRooms, SecretRooms {
  /** Where people have the page. */
  readonly page: string | undefined;
}

/** Something over HTTP that `config.json` names. */
export interface HttpChannel extends Channel {
  readonly deliveries: Deliveries;
  /** Says that it can be reached, to whoever reads there. Throws NotifyError. */
  test(): Promise<void>;
}

type WebhookConfig = Extract<ChannelConfig, { kind: "webhook" }>;

const TEST_WORDS = { title: "Countersign can reach you here", body: "This is a test. Nothing waits because of it." };
/** How long a message that nothing waits any more is worth sending. */
const WITHDRAWAL_MS = 600_000;

/** A signed POST of JSON for each thing to tell; the same delivery, tried again, has the same id. */
export function openWebhook(name: string, config: WebhookConfig, rooms: HttpChannelRooms): HttpChannel {
  const deliveries = new Deliveries(rooms, { to: name, onlyNewest: false });
  const delivery = (type: "waits" | "withdrawn" | "test", more: object, untilMs: number): Delivery => {
    const body = JSON.stringify({ id: uuidv7(), type, atMs: rooms.clock.wallMs(), ...more });
    return { untilMs, attempt: (signal) => postSigned(name, config, { ...rooms, body, signal }) };
  };
  return {
    deliveries,
    raise(notice) {
      deliveries.add(delivery("waits", tellNotice(notice, config, rooms.page), notice.untilMs));
    },
    withdraw() {
      deliveries.add(delivery("withdrawn", {}, rooms.clock.wallMs() + WITHDRAWAL_MS));
    },
    test: () => deliveries.try(delivery("test", TEST_WORDS, Number.POSITIVE_INFINITY)),
  };
}

function tellNotice(notice: Notice, { showDangerous }: WebhookConfig, page: string | undefined): object {
  const { title, body, approvalId } = wordsOf(notice, { showDangerous });
  const approvals = notice.named.map(({ command, ...rest }) => {
    const link = linkTo(page, rest.approvalId);
    return { ...rest, ...(mayShow(rest.riskLevel, showDangerous) ? { command } : {}), ...(link ? { link } : {}) };
  });
  const link = linkTo(page, approvalId);
  const { count, dangerous, alert } = notice;
  return { title, body, count, dangerous, alert, approvals, ...(link ? { link } : {}) };
}

/** Signed at each attempt: the receiver holds the time against its own clock. */
export async function postSigned(
  name: string,
  { url, reach, secretEnv }: Pick<ChannelConfig, "url" | "reach" | "secretEnv">,
  rooms: HttpChannelRooms & {
    readonly body: string;
    readonly signal: AbortSignal;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Promise<void> {
  const { body, signal, clock, limits, headers } = rooms;
  const secret = channelSecret(name, secretEnv, rooms);
  const signed = signBody(body, { secret, nowMs: clock.wallMs() });
  const sent = { "content-type": "application/json", ...signed, ...headers };
  await post({ url, reach, headers: sent, body, timeoutMs: limits.notifyTimeoutMs, signal });
}
