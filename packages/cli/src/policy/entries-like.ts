import { explainOffline } from "@countersign/hub";
import type { Entry } from "@countersign/policy";
import { CliError, type GlobalOptions, homeDirOf } from "../base/index.ts";
import { asCliError } from "../hub-errors/index.ts";

/** What `allow-always` would save for a command, here or in `directory`. */
export async function entriesLike(
  command: string,
  directory: string | undefined,
  options: GlobalOptions & { readonly profile: string },
): Promise<Entry[]> {
  const cwd = directory ?? process.cwd();
  const { decision, always } = await explainOffline(
    { command, cwd, profile: options.profile },
    homeDirOf(options),
  ).catch((cause: unknown) => {
    throw asCliError(cause);
  });
  if (decision.verdict === "allow") throw new CliError("FAILED", `The policy already allows it: ${decision.reason}.`);
  if (decision.verdict === "deny")
    throw new CliError("FAILED", `It is denied, and no entry can change that: ${decision.reason}.`);
  const { entries = [], note } = always ?? {};
  if (note !== undefined || entries.length === 0) throw new CliError("FAILED", `${note ?? "There's nothing to save"}.`);
  return [...entries];
}
