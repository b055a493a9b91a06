import type { Answer, AnswerResult } from "@countersign/protocol/proposals";
import { visible } from "@countersign/protocol/text";
import { CliError, EXIT, type GlobalOptions } from "../base/index.ts";
import { findHub, type HttpHub } from "../connect/index.ts";
import { allowLate, decide, pickApproval, pickExpired } from "../hub-calls/index.ts";
import { commandLines, savedLines } from "../show/index.ts";
import { printJson, printLines, warnUnchecked } from "../terminal/index.ts";

interface ApproveOptions extends GlobalOptions {
  readonly always?: boolean;
  readonly scope?: string;
  readonly jail?: NonNullable<Answer["jail"]>;
  readonly times?: number;
  readonly ifAsksAgain?: boolean;
  readonly edit?: string;
}

export async function approve(id: string, options: ApproveOptions): Promise<number> {
  const hub = await findHub(options);
  if (options.ifAsksAgain) return await approveLate(hub, id, options);
  const card = await pickApproval(hub, id);
  const { approvalId, command } = card;
  warnUnchecked(card);
  const { scope, jail, times, edit } = options;
  const lasting = options.always || scope !== undefined;
  const decision = lasting ? "allow-always" : "allow-once";
  const chosen = {
    decision,
    ...(scope === undefined ? {} : { scope }),
    ...(jail === undefined ? {} : { jail }),
    ...(times === undefined ? {} : { times }),
    ...(edit === undefined ? {} : { command: edit }),
  } as const;
  const result = await decide(hub, { card, ...chosen }, options);
  if (options.json) printJson({ approvalId, command, ...chosen, ...result });
  else
    printLines([
      `Allowed${lasting ? "" : " once"}${result.count === undefined ? "" : ` (×${result.count})`}:`,
      ...commandLines(edit ?? command).map((line) => `  ${line}`),
      ...(edit === undefined ? [] : ["instead of:", ...commandLines(command).map((line) => `  ${line}`)]),
      ...resultLines(result, scope),
    ]);
  return EXIT.ok;
}

async function approveLate(hub: HttpHub, id: string, options: ApproveOptions): Promise<number> {
  const { always, scope, jail, times, edit } = options;
  if (always || [scope, jail, times, edit].some((option) => option !== undefined)) {
    throw new CliError("INVALID_PARAMS", "--if-asks-again can't be combined with other options.");
  }
  const card = await pickExpired(hub, id);
  warnUnchecked(card);
  const { approvalId, command } = card;
  const result = await allowLate(hub, card, options);
  if (options.json) printJson({ approvalId, command, ...result });
  else {
    const until = new Date(result.expiresAtMs).toLocaleTimeString("sv-SE");
    printLines([`Allowed once if it asks again until ${until}:`, ...commandLines(command).map((line) => `  ${line}`)]);
  }
  return EXIT.ok;
}

/** What it came to: what was saved, or why nothing was. */
function resultLines({ saved = [], note }: AnswerResult, scope: string | undefined): string[] {
  const lines = savedLines(saved, scope);
  return note === undefined ? lines : [...lines, visible(note)];
}
