import { EXIT } from "../base/exit-codes.ts";
import { ourName } from "../base/our-name.ts";
import type { GlobalOptions } from "../base/settings.ts";
import { findHub } from "../connect/find-hub.ts";
import { pickApproval } from "../hub-calls/pick-approval.ts";
import { previewApproval } from "../hub-calls/preview.ts";
import { signerFor } from "../hub-calls/sign.ts";
import { commandLines } from "../show/approval.ts";
import { previewLines, wasRun } from "../show/preview.ts";
import { printJson, printLines } from "../terminal/print.ts";

/** Tries out what waits, where nothing is kept, and tells what it did. It goes on waiting for an answer. */
export async function preview(id: string, options: GlobalOptions): Promise<number> {
  const hub = await findHub(options);
  const card = await pickApproval(hub, id);
  const { approvalId, command, cwd } = card;
  const { preview: sign } = await signerFor(hub, options);
  const result = await previewApproval(hub, approvalId, await sign(card));
  if (options.json) printJson(result);
  else
    printLines([
      "Preview of:",
      ...commandLines(command).map((line) => `  ${line}`),
      ...previewLines(result, cwd).map(({ whose, text }) => (whose === "ours" ? text : `  | ${text}`)),
      `It still waits: ${ourName()} approve ${approvalId.slice(-8)}, or ${ourName()} deny ${approvalId.slice(-8)}`,
    ]);
  return wasRun(result) ? EXIT.ok : EXIT.failed;
}
