import { StoreError } from "@countersign/store";
import type { FromRecorder } from "./hub-wire.ts";

type Refused = Extract<FromRecorder, { t: "refused" }>;

const REMEDIES: Partial<Record<Refused["code"], string>> = {
  WRONG_USER: "Pair it with the user that this hub runs as (`countersign recorder pair --hub-user`).",
  WRONG_SECRET: "Pair them again (`countersign recorder pair`, then `countersign recorder join`).",
  OTHER_HUB: "Stop the other hub first: a recorder has one.",
};

export function refused({ code, message }: Refused): StoreError {
  const told = `The recorder doesn't take this hub: ${code} (${message}) ${REMEDIES[code] ?? ""}`.trim();
  return new StoreError("RECORDER_REFUSED", told);
}

export function rolledBack(have: number, theirs: number): StoreError {
  const what = theirs < have ? `has ${theirs} receipts` : "has another history";
  const remedy = "Put its newest backup in place, or a copy of this hub's database, which has all of them";
  return new StoreError(
    "RECORDER_ROLLED_BACK",
    `The recorder ${what}, and the hub has seen ${have}: it was cut or replaced by an older copy. ${remedy}.`,
  );
}

/** Of a connection that has ended. */
export function problemOf(cause: unknown, path: string): StoreError {
  if (cause instanceof StoreError) return cause;
  const why = cause === undefined ? "it has closed the connection" : String((cause as Error).message ?? cause);
  const told = `The recorder isn't there on ${path} (${why.slice(0, 300)}). Start it: \`countersign recorder\`.`;
  return new StoreError("RECORDER_DOWN", told, { cause });
}
