import type { GlobalOptions } from "../base/index.ts";
import { runLines, runWatch } from "../watch/index.ts";

/** The inbox in a terminal; where there's none to take, a line for each event. */
export async function watch(options: GlobalOptions & { readonly line?: boolean }): Promise<number> {
  const { stdin, stdout, env } = process;
  const terminal = stdin.isTTY && stdout.isTTY && env.TERM !== "dumb";
  return options.line || options.json || !terminal ? await runLines(options) : await runWatch(options);
}
