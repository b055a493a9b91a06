import { explainUnverified } from "@countersign/protocol/describe";
import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import { visibleJson } from "@countersign/protocol/text";

export function printLines(lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
}

/** Commands are other people's text, and JSON is read in terminals, too. */
export function printJson(value: unknown): void {
  process.stdout.write(`${visibleJson(value)}\n`);
}

/** To stderr, with or without --json: the answer counts for a hash that only the hub knows the command of. */
export function warnUnchecked(card: ExecApprovalRequestPayload): void {
  const why = explainUnverified(card);
  if (why !== undefined) process.stderr.write(`countersign: ${why}\n`);
}
