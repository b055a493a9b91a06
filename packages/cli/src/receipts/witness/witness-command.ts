import { checkpointViewSchema, consistencyProofSchema } from "@countersign/protocol/records";
import { visible } from "@countersign/protocol/text";
import type { ShownLedger, Witnessed } from "@countersign/receipts";
import { CliError, EXIT, type GlobalOptions, homeDirOf } from "../../base/index.ts";
import { callHttp, findHub, type HttpHub } from "../../connect/index.ts";
import { printJson, printLines } from "../../terminal/index.ts";
import { alarmText, forget, memoryFile, witnessHub } from "../../witness/index.ts";

/** Holds a hub's ledger against what this device remembers of it. Exits 1 where it isn't what it was. */
export async function witness(options: GlobalOptions & { readonly forget?: boolean }): Promise<number> {
  const hub = await findHub(options);
  const memory = { file: memoryFile(homeDirOf(options)), token: hub.token };
  if (options.forget) forget(memory.file, memory.token);
  const found = await witnessHub(overHttp(hub), memory);
  if (options.json) printJson(found.kind === "kept" ? { kind: found.kind, how: found.how, size: found.size } : found);
  else printLines([wordsFor(found)]);
  return found.kind === "alarm" ? EXIT.failed : EXIT.ok;
}

function wordsFor(found: Witnessed): string {
  switch (found.kind) {
    case "none":
      return "The hub has no checkpoint yet: one is made within a minute.";
    case "alarm":
      return visible(alarmText(found));
    case "kept":
      return `${KEPT[found.how]} It is remembered: ${found.size} receipts.`;
  }
}

const KEPT = {
  first: "This device sees this record for the first time.",
  same: "The record is the one that this device remembers.",
  grown: "The record has only grown since this device last saw it.",
} as const;

function overHttp(hub: HttpHub): ShownLedger {
  return {
    async checkpoint() {
      try {
        return (await callHttp(hub, { method: "GET", path: "/api/v1/checkpoint" }, checkpointViewSchema)).value;
      } catch (cause) {
        if (cause instanceof CliError && cause.code === "NOT_FOUND") return null;
        throw cause;
      }
    },
    async prove({ from, to }) {
      const path = `/api/v1/receipts/consistency?from=${from}&to=${to}`;
      return (await callHttp(hub, { method: "GET", path }, consistencyProofSchema)).value.proof;
    },
  };
}
