import { type PolicyLayer, SETTING_KEYS } from "@countersign/vocabulary";
import * as z from "zod";
import { isInside, normalize } from "../model/index.ts";
import { meetSettings, type Settings } from "./meet.ts";
import { describeProblems } from "./mistyped-keys.ts";
import { ceilingSchema, DEFAULT_CEILING, type Entry, entrySchema, type Profile, profileSchema } from "./profile.ts";

const { shape } = profileSchema;
const examples = z.array(z.string().max(65_536)).max(1_000);

/** Commands and their expected verdicts; `checkPolicy` runs them. */
export const examplesSchema = z.strictObject({
  allow: examples.optional(),
  ask: examples.optional(),
  deny: examples.optional(),
});
export type Examples = z.infer<typeof examplesSchema>;

const layerEntrySchema = z.strictObject({
  ...entrySchema.shape,
  ceiling: ceilingSchema
    .extend({ roots: z.array(z.string().min(1).max(4096)).optional() })
    .strict()
    .optional(),
  examples: examplesSchema.optional(),
});

/**
 * The `execApproval` block of an organisation's or a repository's file. Only stated keys apply. Strict, because an
 * unknown key might deny something.
 */
const layerBlockSchema = z.strictObject({
  security: shape.security.unwrap().optional(),
  ask: shape.ask.unwrap().optional(),
  timeoutMs: shape.timeoutMs.unwrap().optional(),
  askFallback: shape.askFallback.unwrap().optional(),
  safeIsMiss: shape.safeIsMiss.unwrap().optional(),
  sandbox: shape.sandbox.unwrap().optional(),
  assurance: shape.assurance.unwrap().optional(),
  handBack: shape.handBack.unwrap().optional(),
  allowlist: z.array(layerEntrySchema).max(10_000).default([]),
  denylist: z.array(layerEntrySchema).max(10_000).default([]),
});

const fileSchema = z.looseObject({ execApproval: layerBlockSchema.prefault({}), examples: z.unknown().optional() });

export interface LayerBlock extends Omit<z.infer<typeof layerBlockSchema>, "allowlist" | "denylist"> {
  readonly allowlist: readonly Entry[];
  readonly denylist: readonly Entry[];
}

type LayerReading =
  | { readonly ok: true; readonly block: LayerBlock }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads a parsed file, `{ "execApproval": { … } }`. With a repository's `directory`, its allow entries are limited to
 * that directory, and their roots may be relative to it.
 */
export function readLayer(file: unknown, directory?: string): LayerReading {
  const reading = fileSchema.safeParse(file);
  const wrong = describeProblems(fileSchema, file, reading.error);
  if (!reading.success || wrong.length > 0) return { ok: false, problems: wrong };
  const { execApproval: block } = reading.data;
  const allowlist = block.allowlist.map((entry) => (directory === undefined ? entry : confine(entry, directory)));
  const base = directory ?? "/";
  const problems = allowlist.flatMap(({ ceiling }, index) =>
    (ceiling?.roots ?? [])
      .filter((root) => !root.startsWith("/") || !isInside(root, base))
      .map((root) => `execApproval.allowlist.${index}.ceiling.roots: ${root} isn't inside ${base}`),
  );
  return problems.length > 0 ? { ok: false, problems } : { ok: true, block: { ...block, allowlist } };
}

/** Limits an entry to the repository's own directory. */
function confine(entry: Entry, directory: string): Entry {
  const ceiling = entry.ceiling ?? DEFAULT_CEILING;
  const roots = (ceiling.roots ?? ["."]).map((root) => normalize(root.startsWith("/") ? root : `${directory}/${root}`));
  return { ...entry, ceiling: { ...ceiling, roots }, directory };
}

/** An organisation's or a repository's file in use. */
export interface LayerFile {
  readonly layer: Exclude<PolicyLayer, "user">;
  readonly file: string;
  readonly block: LayerBlock;
  /** Whether its allow entries apply: somebody pinned or trusted exactly this file. Its deny entries always apply. */
  readonly trusted: boolean;
}

/** The layer that a setting's value comes from; `default` if no layer states it. */
export interface Origin {
  readonly layer: PolicyLayer | "default";
  readonly file?: string;
}

/** An entry of the effective profile, with its origin. */
export type LayeredEntry = Entry & { readonly layer: PolicyLayer; readonly file: string };

export interface EffectiveProfile {
  readonly profile: Profile & {
    readonly allowlist: readonly LayeredEntry[];
    readonly denylist: readonly LayeredEntry[];
  };
  readonly origins: Readonly<Record<keyof Settings, Origin>>;
}

const DEFAULTS: Settings = profileSchema.parse({});

interface UserProfile {
  readonly file: string;
  readonly profile: Profile;
}

/**
 * Returns the profile combined with the other layers. Settings can only become stricter, every denial stays, and allow
 * entries are added from trusted layers. `idOf` names entries without an id of ours, so that their uses can be counted.
 */
export function effectiveProfile(
  user: UserProfile,
  layers: readonly LayerFile[],
  idOf: (entry: Entry, layer: PolicyLayer) => string,
): EffectiveProfile {
  let settings: Settings = user.profile;
  const origins = Object.fromEntries(SETTING_KEYS.map((key) => [key, originIn(user, key)])) as Record<
    keyof Settings,
    Origin
  >;
  for (const { layer, file, block } of layers) {
    // Unstated keys keep their value, so that `ask` alone has an effect with any `security`.
    const met = meetSettings(settings, { ...settings, ...stated(block) });
    for (const key of SETTING_KEYS) if (met[key] !== settings[key]) origins[key] = { layer, file };
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
  const found = SETTING_KEYS.filter((key) => block[key] !== undefined).map((key) => [key, block[key]]);
  return Object.fromEntries(found) as Partial<Settings>;
}

function pick(settings: Settings): Settings {
  return Object.fromEntries(SETTING_KEYS.map((key) => [key, settings[key]])) as unknown as Settings;
}

/**
 * Marks an entry with its origin and ignores what the file says about it. Another layer can't use our ids or set the
 * time at which a person allowed an entry: denials outrank what a repository allows.
 */
function mark(
  entry: Entry,
  { layer, file, idOf }: { layer: PolicyLayer; file: string; idOf(entry: Entry, layer: PolicyLayer): string },
): LayeredEntry {
  if (layer === "user") return { ...entry, id: entry.id ?? idOf(entry, layer), layer, file };
  const { atMs: _, by: __, ...rest } = entry;
  return { ...rest, id: idOf(entry, layer), layer, file };
}
