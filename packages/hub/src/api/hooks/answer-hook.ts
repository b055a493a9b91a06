import type { Clock, Log } from "@countersign/core/base";
import type { Hub } from "../../hub/index.ts";
import { problemOf } from "../index.ts";
import type { Dialect, HookAgent, HookAnswer, HookQuestion, Verdict } from "./calls/index.ts";
import { acp, claudeCode, codex, cursor, gemini, opencode } from "./dialects/index.ts";
import { judgeCall } from "./judge-call.ts";
import { reportEnd } from "./report-end.ts";

const DIALECTS: Readonly<Record<HookAgent, Dialect>> = {
  "claude-code": claudeCode,
  codex,
  gemini,
  cursor,
  opencode,
  acp,
};

/**
 * An agent's hook, from its event to its answer. Throws HubError where the event can't be read, and the hook denies by itself;
 * everything else that goes wrong is a denial in the agent's words. Nothing of an event is logged.
 */
export async function answerHook(question: HookQuestion, hub: Hub, clock: Clock): Promise<HookAnswer> {
  const dialect = DIALECTS[question.agent];
  const call = dialect.read(question.event);
  if (call.moment !== "after") {
    return dialect.write(call, await orDenied(hub.log, () => judgeCall({ ...question, call, dialect }, hub, clock)));
  }
  await reportEnd(call, question, hub);
  return dialect.write(call, { kind: "nothing" });
}

/** What the hub refuses is a denial like any other: told in the agent's form, signed, with what to do about it. */
async function orDenied(log: Log, judged: () => Promise<Verdict>): Promise<Verdict> {
  try {
    return await judged();
  } catch (cause) {
    const { message } = problemOf(cause, log);
    return {
      kind: "deny",
      words: `Countersign couldn't decide, so this isn't allowed: ${message.replace(/\.$/, "")}.`,
    };
  }
}
