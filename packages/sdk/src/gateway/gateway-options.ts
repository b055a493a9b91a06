import { MIN_RELAY_TOKEN } from "@countersign/protocol/access";
import { outsideIdSchema, registerPayloadSchema } from "@countersign/protocol/proposals";
import type { BackoffOptions } from "@countersign/protocol/wire";
import type { DeviceType } from "@countersign/vocabulary";
import { GatewayError, makeMessageId, type WebSocketConstructor } from "../errors/index.ts";

export interface GatewayClientOptions {
  /** Such as `ws://127.0.0.1:18789/ws`. */
  readonly url: string;
  readonly token: string;
  readonly deviceType: DeviceType;
  /** Belongs to the token that first used it; keep it, to be known again. A new one if absent. */
  readonly deviceId?: string | undefined;
  /**
   * The url is that of a gateway (`countersign gateway`), with the hub behind it: the gateway isn't given the token, and
   * can't read or change what is said. Without it the token is sent to whoever answers at the url.
   */
  readonly relay?: boolean | undefined;
  readonly webSocket?: WebSocketConstructor | undefined;
  /** Between attempts to come back: by default up to 0.5 s before the first, later up to 30 s. */
  readonly backoff?: BackoffOptions | undefined;
  /** 30 s; `proposeExec`, which waits for a person and for the run, has an hour whatever is set here. */
  readonly requestTimeoutMs?: number | undefined;
  /** For opening and registering together: 10 s. */
  readonly connectTimeoutMs?: number | undefined;
  readonly random?: (() => number) | undefined;
  /** Takes what a listener throws. Without it such an error is thrown in a turn of its own, as `EventTarget` does. */
  readonly onListenerError?: ((error: unknown) => void) | undefined;
}

export interface RequestOptions {
  readonly timeoutMs?: number | undefined;
  /** Ends the wait; the hub isn't told, and may still do what was asked. */
  readonly signal?: AbortSignal | undefined;
}

export const DEFAULT_BACKOFF: BackoffOptions = { minMs: 500, maxMs: 30_000 };
export const CONNECT_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const PROPOSE_TIMEOUT_MS = 3_600_000;
/** Longer than a hub lets one run. */
const PREVIEW_TIMEOUT_MS = 180_000;

/** Throws INVALID_PARAMS for a token, type or id that no gateway could take. The error never holds the token. */
export function deviceIdOf(options: GatewayClientOptions): string {
  const { deviceType, token, deviceId = makeMessageId(), relay = false } = options;
  if (!registerPayloadSchema.safeParse({ deviceType, token }).success)
    throw new GatewayError("INVALID_PARAMS", "deviceType must be client, hub or agent; token 1 to 512 characters");
  if (relay && (token.length < MIN_RELAY_TOKEN || deviceType === "hub"))
    throw new GatewayError(
      "INVALID_PARAMS",
      `Through a gateway: a client or an agent, with a token of at least ${MIN_RELAY_TOKEN} characters`,
    );
  if (!outsideIdSchema.safeParse(deviceId).success)
    throw new GatewayError("INVALID_PARAMS", "deviceId must be 1 to 128 visible characters");
  return deviceId;
}

export function timeoutOf(method: string, { requestTimeoutMs = REQUEST_TIMEOUT_MS }: GatewayClientOptions): number {
  if (method === "previewExec") return PREVIEW_TIMEOUT_MS;
  return method === "proposeExec" ? PROPOSE_TIMEOUT_MS : requestTimeoutMs;
}
