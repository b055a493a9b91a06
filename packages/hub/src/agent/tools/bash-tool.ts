import * as z from "zod";
import { findPlace, refuseUnlessDirectory } from "./find-place.ts";
import { HubTool, type ToolHost } from "./hub-tool.ts";
import type { CallResult } from "./tool.ts";

const MAX_TIMEOUT_MS = 86_400_000;

const inputSchema = z.strictObject({
  command: z.string().min(1).describe("The command line, for bash"),
  workingDir: z.string().min(1).optional().describe("Where it runs, inside the workspace; the workspace if left out"),
  timeoutMs: z.int().min(1).max(MAX_TIMEOUT_MS).optional().describe("Milliseconds that it may run"),
});

/** Runs a shell command (seed 003). */
export class BashTool extends HubTool<typeof inputSchema> {
  readonly name = "bash";
  readonly description =
    "Runs a command with bash in the workspace. Depending on the policy, a person is asked first and may deny it.";
  readonly requiresApproval = true;
  readonly inputSchema = inputSchema;

  protected call({ command, workingDir, timeoutMs }: z.infer<typeof inputSchema>, host: ToolHost): Promise<CallResult> {
    const place = findPlace(workingDir ?? ".", host.roots);
    refuseUnlessDirectory(place);
    return host.propose({ command, cwd: place.real, timeoutMs });
  }
}
