import { existsSync, readFileSync } from "node:fs";
import { type Memory, ofNewestEpoch } from "@countersign/receipts";
import { homeFiles } from "../../base/index.ts";
import { unreadable } from "../sources/index.ts";
import { readWitness } from "./witness.ts";

/**
 * What the home's own hub keeps of its ledger, where its config says. A loss that the ledger has owned up to isn't held
 * against it again; a witness that is given with --witness is a stranger's, and forgives nothing.
 */
export function ownWitness(home: string): Memory[] {
  const path = configured(homeFiles(home).config) ?? homeFiles(home).witness;
  return existsSync(path) ? ofNewestEpoch(readWitness(path)) : [];
}

function configured(config: string): string | undefined {
  if (!existsSync(config)) return undefined;
  try {
    const { receipts } = JSON.parse(readFileSync(config, "utf8")) as { receipts?: { witness?: unknown } };
    return typeof receipts?.witness === "string" ? receipts.witness : undefined;
  } catch (cause) {
    if (cause instanceof SyntaxError)
      throw unreadable(`${config} isn't JSON, so it can't say where the witness is.`, cause);
    throw cause;
  }
}
