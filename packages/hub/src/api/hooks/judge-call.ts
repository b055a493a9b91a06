import { userInfo } from "node:os";
import { basename } from "node:path";
import type { Clock, Identity } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { AGENTS } from "@countersign/protocol/access";
import { wordsForAgent } from "@countersign/protocol/describe";
import type { Hub } from "../../hub/index.ts";
import { claimCommand, type Permit } from "../../permits/index.ts";
import type { PipelineResult } from "../../pipeline/index.ts";
import { isFor, proposalIdOf, sessionOf } from "./call-id.ts";
import type { Dialect, HookAgent, HookCall, HookQuestion, Verdict } from "./calls/index.ts";
import { intentOf, matchesPermit, type ToolIntent } from "./tool-intent.ts";

/** Time to record, sign and read a person's answer before the hook's deadline. */
const LAST_MOMENT_MS = 2_000;
/** Other tools than the shell end within this time, or never started. */
const TOOL_RUN_MS = 600_000;
const ASKED = "Countersign leaves this to you.";

export interface CallToJudge extends HookQuestion {
  readonly call: HookCall;
  readonly dialect: Dialect;
}

/** Decides about a call that waits for the hub. */
export async function judgeCall(asked: CallToJudge, hub: Hub, clock: Clock): Promise<Verdict> {
  const { tool, toolName } = asked.call;
  if (tool.kind === "inner") return { kind: "nothing" };
  if (tool.kind === "unknown") return { kind: "deny", words: unknownWords(toolName) };
  const intent = intentOf(asked, tool, hub);
  return permittedBefore(asked, intent, hub) ?? (await propose(asked, intent, hub, clock));
}

function unknownWords(toolName: string): string {
  const name = JSON.stringify(toolName.slice(0, 64));
  return `Countersign doesn't know the tool ${name}, so it isn't allowed. Use a shell command for it, which can be judged; or have its user leave this tool out of the hook's matcher.`;
}

/**
 * Returns the earlier verdict if the same use of a tool is asked about again, or if the agent's own dialog for it is
 * about to open. A question that was left to that dialog stays there.
 */
function permittedBefore({ call, agent, identity }: CallToJudge, intent: ToolIntent, hub: Hub): Verdict | undefined {
  const session = sessionOf(agent, call);
  const permits = hub.permitsOut(identity, session).filter(isAskedAgain(call, intent));
  if (permits.some((permit) => !matchesPermit(intent, permit))) {
    throw new HubError("CONFLICT", "this use of a tool was asked about before, for something else");
  }
  if (permits.some(({ assessment }) => assessment.decision.by === "agent-prompt")) return { kind: "ask", words: ASKED };
  if (permits.length > 0) return { kind: "allow" };
  const { tool } = call;
  if (call.moment !== "permission" || tool.kind !== "shell") return undefined;
  const claimant = { agent, homeDir: hub.homeDir };
  const isOurs = hub.permitsHeld(identity, session).some((held) => claimCommand(held, claimant) === tool.command);
  return isOurs ? { kind: "allow" } : undefined;
}

/**
 * A dialog doesn't name its call, so it matches any permit for the same text. Without call ids, the same input again is
 * another use.
 */
function isAskedAgain(call: HookCall, intent: ToolIntent): (permit: Permit) => boolean {
  if (call.moment === "permission") return (permit) => matchesPermit(intent, permit);
  return (permit) => call.callId !== undefined && isFor(call, permit);
}

async function propose(asked: CallToJudge, intent: ToolIntent, hub: Hub, clock: Clock): Promise<Verdict> {
  const fromMs = clock.monotonicMs();
  const passed = await proposeTool(asked, intent, hub);
  if ("handBack" in passed) return { kind: "ask", words: ASKED };
  if ("permit" in passed) return { kind: "allow", ...rewriteFor(passed.permit, asked, hub) };
  const words = wordsForAgent(passed.outcome, clock.monotonicMs() - fromMs);
  return { kind: "deny", words: words ?? "This use of the tool is over already; it isn't allowed again." };
}

function rewriteFor(permit: Permit, { agent }: CallToJudge, { homeDir }: Hub): { command?: string } {
  return permit.kind === "local" ? { command: claimCommand(permit, { agent, homeDir }) } : {};
}

function proposeTool(asked: CallToJudge, intent: ToolIntent, hub: Hub): Promise<PipelineResult> {
  const { call, agent, identity, dialect, deadlineMs, gone: signal } = asked;
  const { tool, command, cwd, workspace, diff } = intent;
  const { proposals } = hub;
  const base = { session: sessionOf(agent, call), proposalId: proposalIdOf(call), cwd, runTimeoutMs: TOOL_RUN_MS };
  const patienceMs = Math.max(1, deadlineMs - LAST_MOMENT_MS);
  const how = { signal, patienceMs, handsBack: dialect.asks(call), workspace };
  const outside = { ...how, executor: { kind: "external", enforcement: "none" }, card: {} } as const;
  switch (tool.kind) {
    case "mcp": {
      const { server, tool: name, arguments: given } = tool;
      const proposal = { ...base, server, tool: name, arguments: given };
      return proposals.proposeToolCall(proposal, identity, { ...how, enforcement: "none" });
    }
    case "look": {
      const searching = { ...outside, executor: { ...outside.executor, searches: true } } as const;
      return proposals.proposeByTool({ ...base, command }, identity, tool.look.kind === "search" ? searching : outside);
    }
    case "files":
      return proposals.proposeByTool({ ...base, command }, identity, { ...outside, card: diff ? { diff } : {} });
    case "shell": {
      const { reason, timeoutMs = TOOL_RUN_MS } = tool;
      const proposal = { ...base, command, runTimeoutMs: timeoutMs, ...(reason === undefined ? {} : { reason }) };
      const shell = shellOf(agent, identity);
      return dialect.rewrites(call) && isRun(asked, hub)
        ? proposals.proposeClaimed(proposal, identity, { ...how, shell })
        : proposals.proposeByTool(proposal, identity, { ...outside, shell });
    }
  }
}

/**
 * Whether the hub runs the command itself: the agent accepts a rewritten command, runs on this machine, and a jail is
 * available. The configuration can override the agent's default and the jail.
 */
function isRun({ agent, identity }: CallToJudge, hub: Hub): boolean {
  const { agents } = hub.config;
  const configured = Object.hasOwn(agents, identity.name) ? agents[identity.name]?.mode : undefined;
  // An editor's terminal takes any command and runs on this machine.
  const { rewritable, mode } = agent === "acp" ? { rewritable: true, mode: "run" } : AGENTS[agent];
  const byItself = configured === undefined && mode === "run" && hub.canJail;
  return identity.sameUser && rewritable && (configured === "run" || byItself);
}

/**
 * Returns the shell that an agent uses: usually the login shell. Claude Code uses bash or zsh, and picks one if the
 * login shell is another. On another machine the shell is unknown; zsh, which reads more syntax than bash, is assumed.
 */
function shellOf(agent: HookAgent, { sameUser }: Pick<Identity, "sameUser">): string {
  if (agent === "gemini") return "bash";
  const login = sameUser ? (userInfo().shell ?? "") : "zsh";
  const isKnown = ["bash", "zsh"].includes(basename(login));
  return isKnown || (agent !== "claude-code" && login !== "") ? login : "zsh";
}
