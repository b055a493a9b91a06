import { riskWord } from "@countersign/protocol/describe";
import type { ApprovalClosed, ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import { visible } from "@countersign/protocol/text";
import { EXIT, type GlobalOptions, onSignals } from "../base/index.ts";
import { printJson, printLines, shortId, timeLeft } from "../terminal/index.ts";
import { HubLink } from "./hub-link.ts";
import { endingOf } from "./model/index.ts";

/** One line for each event, for logs and pipes; nothing is read. */
export async function runLines(options: GlobalOptions): Promise<number> {
  const open = new Map<string, ExecApprovalRequestPayload>();
  const over = Promise.withResolvers<void>();
  const say = (event: string, data: object, words: string) => {
    if (options.json) printJson({ event, atMs: Date.now(), ...data });
    else printLines([`${new Date().toLocaleTimeString("sv-SE")}  ${words}`]);
  };
  const close = (closed: ApprovalClosed, { mark, how }: ReturnType<typeof endingOf>) => {
    const card = open.get(closed.approvalId);
    if (card && open.delete(closed.approvalId)) say("closed", closed, `${mark}  ${nameOf(card)}  ${visible(how)}`);
  };
  let told: string | undefined;
  const link = new HubLink(options, {
    asked(card) {
      if (open.has(card.approvalId)) return;
      open.set(card.approvalId, card);
      say("asked", { approval: card }, askedWords(card, Date.now()));
    },
    counted(counted) {
      const card = open.get(counted.approvalId);
      if (card) say("counted", counted, `×${counted.count}  ${nameOf(card)}`);
    },
    closed: (closed, expired) => close(closed, endingOf(closed, expired)),
    known: () => [...open.keys()],
    gone(ids) {
      for (const approvalId of ids) close({ approvalId, by: "unknown" }, { mark: "–", how: "no longer waits" });
    },
    up: () => say("connected", {}, "connected"),
    down: (why) => say("disconnected", { why }, `disconnected: ${visible(why)}`),
    ledger(alarm) {
      if (alarm !== undefined && alarm !== told) say("ledger-alarm", { alarm }, `!  ${visible(alarm)}`);
      told = alarm;
    },
    failed: (error) => over.reject(error),
  });
  const signals = onSignals(() => over.resolve());
  try {
    await Promise.race([link.open(), over.promise]);
    await over.promise;
    return EXIT.ok;
  } finally {
    link.close();
    signals.off();
  }
}

/** The command comes last: nothing of ours stands behind it that it could imitate. */
function askedWords(card: ExecApprovalRequestPayload, nowMs: number): string {
  const { riskLevel, agentName, expiresAtMs, approvalId, command } = card;
  const who = `asked by ${visible(agentName)}, expires in ${timeLeft(expiresAtMs, nowMs)}`;
  return `?  ${shortId(approvalId, [])}  ${riskWord(riskLevel)}, ${who}: ${visible(command)}`;
}

function nameOf({ approvalId, command }: ExecApprovalRequestPayload): string {
  return `${shortId(approvalId, [])}  ${visible(command)}`;
}
