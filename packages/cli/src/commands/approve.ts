import { type Answer, type AnswerResult, visible } from "@countersign/sdk";
import { decide } from "../connect/decide.ts";
import { findHub } from "../connect/find-hub.ts";
import { pickApproval } from "../connect/pick-approval.ts";
import { EXIT } from "../exit-codes.ts";
import type { GlobalOptions } from "../settings.ts";
import { commandLines } from "../show/approval.ts";
import { printJson, printLines, warnUnchecked } from "../show/print.ts";
import { savedLines } from "../show/scopes.ts";

interface ApproveOptions extends GlobalOptions {
  readonly always?: boolean;
  readonly scope?: string;
  readonly jail?: NonNullable<Answer["jail"]>;
}

export async function approve(id: string, options: ApproveOptions): Promise<number> {
  const hub = await findHub(options);
  const card = await pickApproval(hub, id);
  const { approvalId, command } = card;
  warnUnchecked(card);
  const { scope, jail } = options;
  const lasting = options.always || scope !== undefined;
  const decision = lasting ? "allow-always" : "allow-once";
  const chosen = {
    decision,
    ...(scope === undefined ? {} : { scope }),
    ...(jail === undefined ? {} : { jail }),
  } as const;
  const result = await decide(hub, { card, ...chosen }, options);
  if (options.json) printJson({ approvalId, command, ...chosen, ...result });
  else
    printLines([
      lasting ? "Allowed:" : "Allowed once:",
      ...commandLines(command).map((line) => `  ${line}`),
      ...resultLines(result, scope),
    ]);
  return EXIT.ok;
}

/** What it came to: what was saved, or why nothing was. */
function resultLines({ saved = [], note }: AnswerResult, scope: string | undefined): string[] {
  const lines = savedLines(saved, scope);
  return note === undefined ? lines : [...lines, visible(note)];
}
