import type { GatewayError } from "../errors/index.ts";

/**
 * `disconnected`: not connected and not trying; `connect()` starts. So it begins, after `disconnect()`, and when the
 * first attempt of a `connect()` failed.
 * `connecting`: the first attempt of a `connect()` is under way.
 * `connected`: registered; requests are possible.
 * `reconnecting`: the connection was lost; the client tries again by itself until `disconnect()`.
 * `closed`: the token was refused or revoked, or another client took this device's place. To come back by itself would
 * be refused again, or start a fight for the place; `connect()` still does.
 */
export type ConnectionState = "disconnected" | "connecting" | "connected" | "reconnecting" | "closed";

/** `cause` says why it is no longer connected; absent when the caller asked for the change. */
export type StateListener = (state: ConnectionState, cause?: GatewayError) => void;
