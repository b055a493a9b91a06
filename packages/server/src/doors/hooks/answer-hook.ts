import { wordsForAgent } from "@countersign/sdk";
import { uuidv7 } from "uuidv7";
import type { Clock } from "../../clock.ts";
import type { Hub } from "../../hub/hub.ts";
import { HubError } from "../../hub-error.ts";
import type { Identity } from "../../identity.ts";
import type { Log } from "../../log.ts";
import type { Passed } from "../../pipeline.ts";
import { sha256Hex } from "../../sha256.ts";
import { problemOf } from "../problem-of.ts";
import { claudeCode } from "./dialects/claude-code.ts";
import type { Dialect, HookAgent, HookAnswer, HookCall, Verdict } from "./hook-call.ts";

export interface HookRooms {
  readonly hub: Hub;
  readonly clock: Clock;
  readonly log: Log;
}

export interface HookQuestion {
  readonly agent: HookAgent;
  readonly event: Readonly<Record<string, unknown>>;
  readonly identity: Identity;
  /** How long the agent's hook waits for us. */
  readonly deadlineMs: number;
  /** Aborted when the hook is gone: nobody waits any more, and nothing may follow from an answer. */
  readonly gone: AbortSignal;
}

const DIALECTS: Partial<Record<HookAgent, Dialect>> = { "claude-code": claudeCode };

/** A person's answer still has to be recorded, signed and read when the hook's time is nearly over. */
const LAST_MOMENT_MS = 2_000;

/**
 * An agent's hook, from its event to its answer. Throws HubError where the event can't be read, and the hook denies by itself;
 * everything else that goes wrong is a denial in the agent's words.
 */
export async function answerHook(question: HookQuestion, rooms: HookRooms): Promise<HookAnswer> {
  const dialect = DIALECTS[question.agent];
  if (!dialect) throw new HubError("INVALID_PARAMS", `agent: ${question.agent} isn't answered yet`);
  const call = dialect.read(question.event);
  return dialect.write(call, await orDenied(rooms, () => judge(call, question, rooms)));
}

async function judge(call: HookCall, question: HookQuestion, rooms: HookRooms): Promise<Verdict> {
  if (call.moment === "after") return { kind: "nothing" };
  const { tool, toolName } = call;
  if (tool.kind === "unknown") {
    const words = `Countersign doesn't know the tool ${toolName.slice(0, 64)}, so it isn't allowed.`;
    return { kind: "deny", words: `${words} Do it with a shell command, which can be judged.` };
  }
  const { hub, clock } = rooms;
  const { agent, identity, deadlineMs, gone } = question;
  const proposal = {
    command: tool.command,
    ...(call.cwd === undefined ? {} : { cwd: call.cwd }),
    ...(tool.reason === undefined ? {} : { reason: tool.reason }),
    ...(tool.timeoutMs === undefined ? {} : { runTimeoutMs: tool.timeoutMs }),
    session: `${agent}:${call.sessionId}`,
    proposalId: proposalIdOf(call),
  };
  const fromMs = clock.monotonicMs();
  const passed = await hub.proposals.proposeByTool(proposal, identity, {
    executor: { kind: "external", enforcement: "none" },
    card: {},
    signal: gone,
    patienceMs: Math.max(1, deadlineMs - LAST_MOMENT_MS),
  });
  return verdictOf(passed, clock.monotonicMs() - fromMs);
}

/** One use of a tool is one proposal, however often its hook is called. */
function proposalIdOf({ sessionId, callId }: HookCall): string {
  if (callId === undefined) return uuidv7();
  const id = `${sessionId}/${callId}`;
  return id.length <= MAX_ID ? id : sha256Hex(id);
}

const MAX_ID = 128;

function verdictOf(passed: Passed, waitedMs: number): Verdict {
  if ("permit" in passed) return { kind: "allow" };
  // Not asked for here yet.
  if (!("outcome" in passed)) return { kind: "deny", words: "It isn't allowed." };
  return { kind: "deny", words: wordsForAgent(passed.outcome, waitedMs) ?? "It isn't allowed." };
}

/** What the hub refuses is a denial like any other: told in the agent's form, signed, with what to do about it. */
async function orDenied({ log }: HookRooms, judged: () => Promise<Verdict>): Promise<Verdict> {
  try {
    return await judged();
  } catch (cause) {
    return {
      kind: "deny",
      words: `Countersign couldn't decide, so this isn't allowed: ${problemOf(cause, log).message}.`,
    };
  }
}
