import { visible } from "@countersign/protocol/text";
import { EXIT, type GlobalOptions } from "../base/index.ts";
import { findHub } from "../connect/index.ts";
import { decide, pickApproval } from "../hub-calls/index.ts";
import { commandLines } from "../show/index.ts";
import { printJson, printLines, warnUnchecked } from "../terminal/index.ts";

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
