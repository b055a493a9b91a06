import { isAbsolute, resolve } from "node:path";
import { HubError } from "@countersign/core/errors";
import { realPathAsFarAsItExists } from "@countersign/core/host/fs";
import type { Hub } from "../../hub/index.ts";
import type { Permit } from "../../permits/index.ts";
import { toolCallProposal } from "../../proposals/index.ts";
import type { HookCall, HookQuestion, HookTool } from "./calls/index.ts";
import { fileCommand, lookCommand } from "./equivalents/index.ts";

type JudgedTool = Exclude<HookTool, { kind: "inner" | "unknown" }>;

/** What a use of a tool would do, as the command that is judged. */
export interface ToolIntent {
  readonly tool: JudgedTool;
  readonly command: string;
  /** Real path in which the command runs. */
  readonly cwd: string;
  /** Real path of the agent's working directory: a command with another directory doesn't change the workspace. */
  readonly workspace: string;
  /** Diff for the card if files change. */
  readonly diff?: string;
}

export function intentOf(
  { call, identity }: Pick<HookQuestion, "identity"> & { readonly call: HookCall },
  tool: JudgedTool,
  hub: Hub,
): ToolIntent {
  const [serving = "/"] = hub.rootsOf(identity);
  const stands = call.cwd ?? serving;
  const workspace = realCwd(stands);
  const cwd = tool.kind === "shell" && tool.cwd !== undefined ? realCwd(resolve(stands, tool.cwd)) : workspace;
  const where = { tool, cwd, workspace };
  switch (tool.kind) {
    case "mcp": {
      const { server, tool: name, arguments: given } = tool;
      return { ...where, command: toolCallProposal({ server, tool: name, arguments: given }).command };
    }
    case "look":
      return { ...where, command: lookCommand(tool.look, cwd) };
    case "files": {
      const shown = identity.sameUser ? [cwd, ...hub.rootsOf(identity)] : hub.rootsOf(identity);
      return { ...where, ...fileCommand(tool.changes, { cwd, shown }) };
    }
    case "shell":
      return { ...where, command: tool.command };
  }
}

function realCwd(path: string): string {
  if (!isAbsolute(path)) throw new HubError("INVALID_PARAMS", "cwd: must be an absolute path");
  const real = realPathAsFarAsItExists(path);
  if (real === undefined) throw new HubError("INVALID_PARAMS", "cwd: can't be resolved");
  return real;
}

/** Whether the permit is for exactly this text, directory and kind of tool. Only a shell command has a shell. */
export function matchesPermit({ tool, command, cwd }: ToolIntent, { assessment: { proposal } }: Permit): boolean {
  const isShell = proposal.shell !== undefined;
  return proposal.command === command && proposal.cwd === cwd && isShell === (tool.kind === "shell");
}
