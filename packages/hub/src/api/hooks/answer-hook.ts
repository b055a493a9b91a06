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
 * Answers an agent's hook. Throws HubError for an unreadable event, and the hook itself denies then; every other
 * failure becomes a denial in the agent's form. Logs nothing of an event.
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

/** Converts a failure to a denial that the agent understands, so that it is signed and says what to do. */
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
