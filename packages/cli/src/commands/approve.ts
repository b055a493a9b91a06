import type { AnswerResult } from "@countersign/sdk";
import { decide } from "../connect/decide.ts";
import { findHub } from "../connect/find-hub.ts";
import { pickApproval } from "../connect/pick-approval.ts";
import { EXIT } from "../exit-codes.ts";
import type { GlobalOptions } from "../settings.ts";
import { commandLines } from "../show/approval.ts";
import { printJson, printLines, warnUnchecked } from "../show/print.ts";
import { visible } from "../show/visible.ts";

export async function approve(id: string, options: GlobalOptions & { readonly always?: boolean }): Promise<number> {
  const hub = await findHub(options);
  const card = await pickApproval(hub, id);
  const { approvalId, command } = card;
  warnUnchecked(card);
  const decision = options.always ? "allow-always" : "allow-once";
  const result = await decide(hub, { card, decision }, options);
  if (options.json) printJson({ approvalId, command, decision, ...result });
  else
    printLines([
      options.always ? "Allowed:" : "Allowed once:",
      ...commandLines(command).map((line) => `  ${line}`),
      ...savedLines(result),
    ]);
  return EXIT.ok;
}

/** What `--always` came to: the patterns, or why there are none. */
function savedLines({ saved = [], note }: AnswerResult): string[] {
  const patterns = saved.map((pattern) => `Saved to the policy: ${visible(pattern)}`);
  return note === undefined ? patterns : [...patterns, visible(note)];
}
