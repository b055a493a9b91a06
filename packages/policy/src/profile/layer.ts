import * as z from "zod";
import { describeProblems, isInside, normalize } from "../model/index.ts";
import { DEFAULT_CEILING } from "./cover-part.ts";
import { ceilingSchema, type Entry, entrySchema, profileSchema } from "./profile.ts";

/** Where a policy comes from. `user` is the profile; the others can only tighten it and, where they may, allow more. */
export const POLICY_LAYERS = ["organisation", "user", "repository"] as const;
export type PolicyLayer = (typeof POLICY_LAYERS)[number];

const { shape } = profileSchema;
const examples = z.array(z.string().max(65_536)).max(1_000);

/** Commands and what must become of them; `checkPolicy` runs them. */
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
 * The `execApproval` block of an organisation's or a repository's file. Only what it states binds. Strict: a key that this
 * version doesn't know might deny something.
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

export type LayerReading =
  | { readonly ok: true; readonly block: LayerBlock }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads a parsed file, `{ "execApproval": { … } }`. `directory` is a repository's: what its entries allow is held to it, and
 * their roots may be relative to it.
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

/** A repository speaks for itself alone. */
function confine(entry: Entry, directory: string): Entry {
  const ceiling = entry.ceiling ?? DEFAULT_CEILING;
  const roots = (ceiling.roots ?? ["."]).map((root) => normalize(root.startsWith("/") ? root : `${directory}/${root}`));
  return { ...entry, ceiling: { ...ceiling, roots }, directory };
}
