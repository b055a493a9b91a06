import { queryValue } from "./decode/index.ts";
import type { Call } from "./record/index.ts";

/** Which terminal a call wants a socket of; empty where it wants none. */
export function ptyIdOf(call: Call): string {
  if (call.route.operation !== "pty.socket") return "";
  const decoded = call.decoded();
  return decoded.kind === "pty-socket" ? decoded.id : "";
}

/** From where on it wants the output: as execd reads it, where there is only one way to; undefined for the rest. */
export function sinceOf(rawQuery: string): number | undefined {
  const text = queryValue(rawQuery, "since").toString("latin1");
  return /^\d{0,15}$/.test(text) ? Number(text) : undefined;
}
