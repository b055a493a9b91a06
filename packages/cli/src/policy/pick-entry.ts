import { viewPolicy } from "@countersign/server";
import { CliError } from "../cli-error.ts";
import { ourName } from "../our-name.ts";
import type { GlobalOptions } from "../settings.ts";
import { withOffline } from "./offline.ts";

const SHORTEST_END = 4;

/** The id or the pattern that a person means: as given, or by an end of the id that only one entry has. */
export async function pickEntry(name: string, options: GlobalOptions & { readonly profile: string }): Promise<string> {
  // A hub elsewhere knows its own entries.
  if (options.url !== undefined) return name;
  const view = await withOffline(options, (offline) =>
    viewPolicy(offline, { profileId: options.profile, effective: false, cwd: "/", nowMs: Date.now() }),
  );
  if ("problem" in view) return name;
  const all = [...view.entries, ...view.grants.map(({ id = "", root }) => ({ id, pattern: root }))];
  if (name.length < SHORTEST_END || all.some(({ id, pattern }) => id === name || pattern === name)) return name;
  const [match, second] = all.filter(({ id }) => id.endsWith(name));
  if (second) {
    const message = `"${name}" fits several entries. Give more of the id; \`${ourName()} policy show\` has it.`;
    throw new CliError("ID_UNCLEAR", message);
  }
  return match?.id ?? name;
}
