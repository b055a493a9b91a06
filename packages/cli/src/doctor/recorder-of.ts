import { readFileSync } from "node:fs";
import type { Home } from "@countersign/core/config";
import { visible } from "@countersign/protocol/text";
import { type Finding, not } from "./finding.ts";

/** The recorder's socket, where config names one; or that config can't be read, and then nothing starts. */
export function recorderOf({ config }: Home): { readonly socket: string | undefined; readonly finding?: Finding } {
  let text: string;
  try {
    text = readFileSync(config, "utf8");
  } catch {
    return { socket: undefined };
  }
  try {
    const { receipts } = JSON.parse(text) as { receipts?: { recorder?: unknown } };
    return { socket: typeof receipts?.recorder === "string" ? receipts.recorder : undefined };
  } catch {
    const says = `${visible(config)} isn't valid JSON: no hub starts`;
    return { socket: undefined, finding: not("fail", "config", { says, remedy: `mend ${visible(config)}` }) };
  }
}
