import { CliError, EXIT, type GlobalOptions, localHomeOf } from "../base/index.ts";

/** What an editor starts instead of its agent. */
export async function acp(words: readonly string[], options: GlobalOptions): Promise<number> {
  if (words.length === 0) {
    throw new CliError("FAILED", "Give the agent to start: acp -- <agent…>.", { exitCode: EXIT.usage });
  }
  return await (await import("../acp/run-acp.ts")).runAcp(localHomeOf(options), words);
}
