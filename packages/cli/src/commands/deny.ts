import { visible } from "@countersign/sdk";
import { EXIT } from "../base/exit-codes.ts";
import type { GlobalOptions } from "../base/settings.ts";
import { findHub } from "../connect/find-hub.ts";
import { decide } from "../hub-calls/decide.ts";
import { pickApproval } from "../hub-calls/pick-approval.ts";
import { commandLines } from "../show/approval.ts";
import { printJson, printLines, warnUnchecked } from "../terminal/print.ts";

export async function deny(id: string, options: GlobalOptions & { readonly reason?: string }): Promise<number> {
  const hub = await findHub(options);
  const card = await pickApproval(hub, id);
  const { approvalId, command } = card;
  warnUnchecked(card);
  const { reason } = options;
  const result = await decide(hub, { card, decision: "deny", ...(reason ? { reason } : {}) }, options);
  if (options.json) {
    printJson({ approvalId, command, decision: "deny", ...result });
    return EXIT.ok;
  }
  const told = reason ? [`The agent is told: ${visible(reason)}`] : [];
  const note = result.note === undefined ? [] : [visible(result.note)];
  printLines(["Denied:", ...commandLines(command).map((line) => `  ${line}`), ...told, ...note]);
  return EXIT.ok;
}
