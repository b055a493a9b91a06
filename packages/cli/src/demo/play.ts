import { setTimeout as sleep } from "node:timers/promises";
import type { ExecApprovalRequestPayload, Outcome } from "@countersign/protocol/proposals";
import { uuidv7 } from "uuidv7";
import { type HttpHub, socketTransport } from "../connect/index.ts";
import { decide, listApprovals } from "../hub-calls/index.ts";
import type { DemoStep } from "./steps.ts";

export interface Played {
  readonly step: DemoStep;
  /** The card that the person saw; undefined when nobody was asked. */
  readonly asked: ExecApprovalRequestPayload | undefined;
  readonly outcome: Outcome;
}

export interface Stage {
  readonly homeDir: string;
  readonly project: string;
  readonly hub: HttpHub;
}

const LOOK_EVERY_MS = 20;

/** The agent proposes over the socket and, should it be asked, the person answers over HTTP: the doors that all use. */
export async function play(step: DemoStep, { homeDir, project, hub }: Stage): Promise<Played> {
  const over = new AbortController();
  const params = { command: step.command, cwd: project, reason: step.claim, proposalId: uuidv7() };
  const proposed = socketTransport(homeDir)
    .propose(params)
    .finally(() => over.abort());
  const [outcome, asked] = await Promise.all([proposed, answer(step, { hub, homeDir }, over.signal)]);
  return { step, asked, outcome };
}

export function asExpected({ step: { expected }, asked, outcome }: Played): boolean {
  return expected.asked === (asked !== undefined) && expected.kind === outcome.kind;
}

async function answer(
  step: DemoStep,
  { hub, homeDir }: Pick<Stage, "hub" | "homeDir">,
  over: AbortSignal,
): Promise<ExecApprovalRequestPayload | undefined> {
  while (!over.aborted) {
    const [card] = await listApprovals(hub);
    if (card) {
      await decide(hub, { card, ...step.answer }, { home: homeDir });
      return card;
    }
    await sleep(LOOK_EVERY_MS);
  }
  return undefined;
}
