import { viewPolicy } from "@countersign/hub";
import { type Entry, wantedEntrySchema } from "@countersign/policy";
import { settingKeySchema } from "@countersign/protocol/policy";
import { visible } from "@countersign/protocol/text";
import type { SettingKey } from "@countersign/vocabulary";
import { CliError, EXIT, type GlobalOptions } from "../base/index.ts";
import { sendEdit } from "../offline/index.ts";
import { printJson, printLines } from "../terminal/index.ts";
import { type EditOptions, statedIn } from "./edit.ts";
import { withOffline } from "./offline.ts";
import { pickEntry } from "./pick-entry.ts";

type NarrowOptions = Omit<EditOptions, "like" | "repository">;

/** Narrower entries in the place of one that allows. What isn't said of them is as it was; the hub refuses what isn't narrower. */
export async function narrowEntry(name: string, patterns: readonly string[], options: NarrowOptions): Promise<number> {
  const { entry, temporary } = await pickEntry(name, options);
  if (temporary !== undefined) {
    throw usage(`${temporary} is allowed for a while only: \`policy remove\` takes it back.`);
  }
  const bounds = { ...(await boundsOf(entry, options)), ...statedIn(options) };
  const entries = patterns.map((pattern) => wanted({ ...bounds, pattern }));
  const change = { action: "narrow", entry, entries } as const;
  const { added, removed } = await sendEdit({ profile: options.profile, change }, options);
  if (options.json) printJson({ action: "narrow", profile: options.profile, added, removed });
  else {
    printLines([
      ...removed.map(({ pattern }) => `No longer: ${visible(pattern)}`),
      ...added.map(({ pattern, id }) => `Allowed: ${visible(pattern)}  [${id}]`),
    ]);
  }
  return EXIT.ok;
}

/** `security=deny`: other settings of the profile. */
export async function setSettings(
  given: readonly string[],
  options: GlobalOptions & { readonly profile: string },
): Promise<number> {
  const settings = Object.fromEntries(given.map(readSetting));
  await sendEdit({ profile: options.profile, change: { action: "set", settings } }, options);
  if (options.json) printJson({ action: "set", profile: options.profile, settings });
  else printLines(Object.entries(settings).map(([key, value]) => `Set: ${key} = ${visible(String(value))}`));
  return EXIT.ok;
}

function readSetting(text: string): [SettingKey, string | number | boolean] {
  const [, name, value = ""] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  const key = settingKeySchema.safeParse(name);
  if (!key.success) throw usage(`"${text}" isn't setting=value. Settings: ${settingKeySchema.options.join(", ")}.`);
  if (value === "true" || value === "false") return [key.data, value === "true"];
  return [key.data, /^\d+$/.test(value) ? Number(value) : value];
}

/** How far the old one goes; of a hub elsewhere that isn't known, and all of it has to be said. */
async function boundsOf(name: string, options: NarrowOptions): Promise<Partial<Entry>> {
  if (options.url !== undefined) return {};
  return await withOffline(options, async (offline) => {
    const { profile } = options;
    const own = await offline.profile(profile);
    const view = await viewPolicy(offline, { profileId: profile, effective: false, cwd: "/", nowMs: Date.now() });
    // An entry without an id of its own has one in the view only.
    const shown = "problem" in view ? undefined : view.entries.find(({ id, list }) => list === "allow" && id === name);
    const isOld = ({ id, pattern }: Entry) => id === name || pattern === (shown?.pattern ?? name);
    const old = own.ok ? own.profile.allowlist.find(isOld) : undefined;
    if (!old) return {};
    const { ceiling, directory, command, code, jail, lend, expiresAtMs, why } = old;
    const stated = Object.entries({ ceiling, directory, command, code, jail, lend, expiresAtMs, why });
    return Object.fromEntries(stated.filter(([, value]) => value !== undefined));
  });
}

function wanted(entry: object): Entry {
  const reading = wantedEntrySchema.safeParse(entry);
  if (reading.success) return reading.data;
  throw usage(reading.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
}

function usage(message: string): CliError {
  return new CliError("INVALID_PARAMS", message, { exitCode: EXIT.usage });
}
