import type { LayerBlock, PolicyLayer } from "./layer.ts";
import { meetSettings, type Settings } from "./meet-profiles.ts";
import { type Entry, type Profile, profileSchema } from "./profile.ts";

/** An organisation's or a repository's file, as it applies. */
export interface LayerFile {
  readonly layer: Exclude<PolicyLayer, "user">;
  readonly file: string;
  readonly block: LayerBlock;
  /** Whether what it allows applies: somebody pinned or trusted exactly this file. What it denies always does. */
  readonly trusted: boolean;
}

/** Which layer a setting has its value from; `default` where nobody has stated another. */
export interface Origin {
  readonly layer: PolicyLayer | "default";
  readonly file?: string;
}

/** An entry of the effective profile says where it comes from. */
export type LayeredEntry = Entry & { readonly layer: PolicyLayer; readonly file: string };

export interface EffectiveProfile {
  readonly profile: Profile & {
    readonly allowlist: readonly LayeredEntry[];
    readonly denylist: readonly LayeredEntry[];
  };
  readonly origins: Readonly<Record<keyof Settings, Origin>>;
}

const DEFAULTS: Settings = profileSchema.parse({});
const SETTINGS = [
  "security",
  "ask",
  "askFallback",
  "timeoutMs",
  "safeIsMiss",
  "sandbox",
  "assurance",
  "handBack",
] as const;

interface UserProfile {
  readonly file: string;
  readonly profile: Profile;
}

/**
 * The profile with the other layers over it. Settings can only become stricter, every denial stays, and what is allowed is
 * added where the layer is trusted. `idOf` names entries that have no id of ours, so that their uses can be counted.
 */
export function effectiveProfile(
  user: UserProfile,
  layers: readonly LayerFile[],
  idOf: (entry: Entry, layer: PolicyLayer) => string,
): EffectiveProfile {
  let settings: Settings = user.profile;
  const origins = Object.fromEntries(SETTINGS.map((key) => [key, originIn(user, key)])) as Record<
    keyof Settings,
    Origin
  >;
  for (const { layer, file, block } of layers) {
    // What it doesn't state is as it stands, so that `ask` alone means something beside any `security`.
    const met = meetSettings(settings, { ...settings, ...stated(block) });
    for (const key of SETTINGS) if (met[key] !== settings[key]) origins[key] = { layer, file };
    settings = met;
  }
  const from = (layer: PolicyLayer, file: string) => (entry: Entry) => mark(entry, { layer, file, idOf });
  const ours = from("user", user.file);
  const allowed = layers.filter(({ trusted }) => trusted);
  return {
    origins,
    profile: {
      ...user.profile,
      ...pick(settings),
      allowlist: [
        ...user.profile.allowlist.map(ours),
        ...allowed.flatMap(({ layer, file, block }) => block.allowlist.map(from(layer, file))),
      ],
      denylist: [
        ...layers.flatMap(({ layer, file, block }) => block.denylist.map(from(layer, file))),
        ...user.profile.denylist.map(ours),
      ],
    },
  };
}

function originIn({ file, profile }: UserProfile, key: keyof Settings): Origin {
  return profile[key] === DEFAULTS[key] ? { layer: "default" } : { layer: "user", file };
}

function stated(block: LayerBlock): Partial<Settings> {
  const found = SETTINGS.filter((key) => block[key] !== undefined).map((key) => [key, block[key]]);
  return Object.fromEntries(found) as Partial<Settings>;
}

function pick(settings: Settings): Settings {
  return Object.fromEntries(SETTINGS.map((key) => [key, settings[key]])) as unknown as Settings;
}

/**
 * Whatever a file itself says about where it comes from doesn't count. Another layer can't take an entry's id of ours, nor the
 * time at which a person allowed it: a denial outlives what a repository allows.
 */
function mark(
  entry: Entry,
  { layer, file, idOf }: { layer: PolicyLayer; file: string; idOf(entry: Entry, layer: PolicyLayer): string },
): LayeredEntry {
  if (layer === "user") return { ...entry, id: entry.id ?? idOf(entry, layer), layer, file };
  const { atMs: _, by: __, ...rest } = entry;
  return { ...rest, id: idOf(entry, layer), layer, file };
}
