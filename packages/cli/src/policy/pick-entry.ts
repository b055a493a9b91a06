import { viewPolicy } from "@countersign/hub";
import { CliError, type GlobalOptions, ourName } from "../base/index.ts";
import { withOffline } from "./offline.ts";

const SHORTEST_END = 4;

interface Picked {
  readonly entry: string;
  /** What it is called, where it isn't the profile's but was allowed for a while. */
  readonly temporary?: string;
}

/** The id or the pattern that a person means: as given, or by an end of the id that only one entry has. */
export async function pickEntry(name: string, options: GlobalOptions & { readonly profile: string }): Promise<Picked> {
  // A hub elsewhere knows its own entries.
  if (options.url !== undefined) return { entry: name };
  const view = await withOffline(options, (offline) =>
    viewPolicy(offline, { profileId: options.profile, effective: false, cwd: "/", nowMs: Date.now() }),
  );
  if ("problem" in view) return { entry: name };
  const own = [...view.entries, ...view.grants.map(({ id = "", root }) => ({ id, pattern: root }))];
  if (name.length < SHORTEST_END || own.some(({ id, pattern }) => id === name || pattern === name))
    return { entry: name };
  const temporary = view.temporary.map(({ id, text }) => ({ id, temporary: text }));
  const [match, second] = [...own, ...temporary].filter(({ id }) => id.endsWith(name));
  if (second) {
    const message = `"${name}" fits several entries. Give more of the id; \`${ourName()} policy show\` has it.`;
    throw new CliError("ID_UNCLEAR", message);
  }
  if (match && "temporary" in match) return { entry: match.id, temporary: match.temporary };
  return { entry: match?.id ?? name };
}
