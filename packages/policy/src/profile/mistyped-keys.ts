import type * as z from "zod";

/** Longer keys don't resemble any known key. */
const MAX_KEY_LENGTH = 64;
/** A file from elsewhere may have any number of keys; only the schema checks those after the limit. */
const MAX_UNKNOWN_KEYS = 200;

interface Found {
  readonly problems: string[];
  left: number;
}

/**
 * Returns a sentence for each unknown key that resembles a known one (`denyList`, `securty`) or is outside its block. Schemas
 * keep unknown keys for a later version, so a mistyped deny list would silently deny nothing.
 */
export function mistypedKeys(schema: z.core.$ZodType, value: unknown): string[] {
  const found: Found = { problems: [], left: MAX_UNKNOWN_KEYS };
  look(schema, value, { path: [], found });
  return found.problems;
}

/** Returns the problems of a file. Mistyped keys come first and aren't reported twice. */
export function describeProblems(
  schema: z.core.$ZodType,
  value: unknown,
  error: z.core.$ZodError | undefined,
): string[] {
  const mistyped = mistypedKeys(schema, value);
  const issues = (error?.issues ?? []).filter(({ code }) => mistyped.length === 0 || code !== "unrecognized_keys");
  return [...mistyped, ...issues.map((issue) => `${issue.path.join(".") || "file"}: ${issue.message}`)];
}

interface At {
  readonly path: readonly string[];
  readonly found: Found;
}

function look(schema: z.core.$ZodType, value: unknown, at: At): void {
  if (typeof value !== "object" || value === null) return;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "object":
      return lookAtObject([def.shape], value, at);
    case "array":
      if (Array.isArray(value))
        for (const [index, one] of value.entries()) look(def.element, one, below(at, `${index}`));
      return;
    case "record":
      for (const [key, one] of Object.entries(value)) look(def.valueType, one, below(at, key));
      return;
    case "union":
      return lookAtObject(def.options.flatMap(shapesOf), value, at);
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "readonly":
    case "catch":
    case "nonoptional":
      return look(def.innerType, value, at);
    case "pipe":
      return look(def.in, value, at);
  }
}

function shapesOf(schema: z.core.$ZodType): z.core.$ZodShape[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return def.type === "object" ? [def.shape] : [];
}

/** Checks an object; the keys of every shape of a union are known. */
function lookAtObject(shapes: readonly z.core.$ZodShape[], value: object, at: At): void {
  if (Array.isArray(value) || shapes.length === 0) return;
  const known = [...new Set(shapes.flatMap((shape) => Object.keys(shape)))];
  const inside = shapes.flatMap((shape) => Object.entries(shape).flatMap(([block, one]) => keysInside(block, one)));
  for (const [key, one] of Object.entries(value)) {
    const inner = shapes.find((shape) => Object.hasOwn(shape, key))?.[key];
    if (inner !== undefined) look(inner, one, below(at, key));
    else judgeKey(key, { known, inside }, at);
  }
}

interface Known {
  readonly known: readonly string[];
  /** What the blocks at this place know, which aren't lists or records. */
  readonly inside: readonly { readonly block: string; readonly key: string }[];
}

function judgeKey(key: string, { known, inside }: Known, { path, found }: At): void {
  found.left -= 1;
  const nearest = found.left < 0 ? undefined : (nearestKey(key, known) ?? nearestInside(key, inside));
  if (nearest === undefined) return;
  found.problems.push(`${[...path, key].join(".")}: there's no such key (did you mean ${nearest}?)`);
}

function nearestInside(key: string, inside: Known["inside"]): string | undefined {
  const nearest = nearestKey(
    key,
    inside.map((one) => one.key),
  );
  const found = inside.find((one) => one.key === nearest);
  return found && `${found.block}.${found.key}`;
}

/** The keys of a block that isn't a list, a record or a union. */
function keysInside(block: string, schema: z.core.$ZodType): Known["inside"] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "object") return Object.keys(def.shape).map((key) => ({ block, key }));
  return "innerType" in def ? keysInside(block, def.innerType) : [];
}

function below({ path, found }: At, key: string): At {
  return { path: [...path, key], found };
}

/** Returns the known key that was probably meant, if one is similar. */
export function nearestKey(key: string, known: readonly string[]): string | undefined {
  if (key.length > MAX_KEY_LENGTH || key.startsWith("$")) return undefined;
  const near = known.map((one) => ({ one, distance: distanceOf(plain(key), plain(one)) }));
  const [best] = near
    .filter(({ distance }) => distance !== undefined)
    .sort((a, b) => Number(a.distance) - Number(b.distance));
  return best?.one;
}

function plain(key: string): string {
  return key.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** Returns the distance of two keys; undefined if they aren't similar. A prefix counts as the key (`timeout`). */
function distanceOf(key: string, known: string): number | undefined {
  const [short, long] = key.length < known.length ? [key, known] : [known, key];
  if (long.length < 3) return key === known ? 0 : undefined;
  if (short.length >= 4 && long.startsWith(short) && (short === key || long.length - short.length <= 3)) return 0.5;
  const most = Math.max(1, Math.floor(long.length / 4));
  if (long.length - short.length > most) return undefined;
  const distance = edits(key, known);
  return distance <= most ? distance : undefined;
}

/** Returns the number of letters to add, remove, change or swap with the next. */
function edits(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at += 1) {
    const row = [at];
    for (let to = 1; to <= other.length; to += 1) {
      const change = (last[to - 1] ?? 0) + (one[at - 1] === other[to - 1] ? 0 : 1);
      const swapped = at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1];
      const swap = swapped ? (before[to - 2] ?? 0) + 1 : change;
      row.push(Math.min(change, swap, (last[to] ?? 0) + 1, (row[to - 1] ?? 0) + 1));
    }
    before = last;
    last = row;
  }
  return last[other.length] ?? 0;
}
