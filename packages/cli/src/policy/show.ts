import { realpathSync } from "node:fs";
import { filterSecretsDeep } from "@countersign/core/redaction";
import { viewPolicy } from "@countersign/hub";
import { CliError, EXIT, type GlobalOptions } from "../base/index.ts";
import { printJson, printLines } from "../terminal/index.ts";
import { knownProfile, withOffline } from "./offline.ts";
import { policyLines } from "./policy.ts";

export interface ShowOptions extends GlobalOptions {
  readonly profile: string;
  readonly effective?: boolean;
}

/** The profile, or everything that applies here, each setting and entry with its layer. */
export async function showPolicy(options: ShowOptions): Promise<number> {
  const view = await withOffline(options, (offline) =>
    viewPolicy(offline, {
      profileId: knownProfile(offline, options.profile),
      effective: options.effective ?? false,
      cwd: realpathSync("."),
      nowMs: Date.now(),
    }),
  );
  if ("problem" in view) {
    throw new CliError(
      "FAILED",
      `Every command is denied because the policy can't be read. ${view.problem}. Fix that file.`,
    );
  }
  // A file that was edited by hand may hold what `policy allow` would have refused.
  const shown = filterSecretsDeep(view);
  if (options.json) printJson(shown);
  else printLines(policyLines(shown));
  return EXIT.ok;
}
