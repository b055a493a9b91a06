import { EXIT, type GlobalOptions, ourName } from "../base/index.ts";
import { findHub } from "../connect/index.ts";
import { pickApproval, previewApproval, signerFor } from "../hub-calls/index.ts";
import { commandLines, previewLines, wasRun } from "../show/index.ts";
import { printJson, printLines } from "../terminal/index.ts";

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
