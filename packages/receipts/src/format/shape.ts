/**
 * Shapes of JSON values: one description gives the type, what is accepted when reading and what may be written. Reading
 * takes what the peer's verifiers take: fields that nobody knows, null for an absent one, ids of any form. Writing takes
 * only what the format's schema takes.
 */
export type Level = "read" | "write";

export interface Shape<T> {
  /** null: fits. Else where it doesn't, as a path from this value: ".chain.sequence", or "" for the value itself. */
  check(value: unknown, level: Level): string | null;
  /** Carries the type, never a value. */
  readonly type?: T;
}

export type TypeOf<S> = S extends Shape<infer T> ? T : never;

const fits = (accept: (value: unknown, level: Level) => boolean) => ({
  check: (value: unknown, level: Level) => (accept(value, level) ? null : ""),
});

export const anyText: Shape<string> = fits((value) => typeof value === "string");
export const someText: Shape<string> = fits((value) => typeof value === "string" && value !== "");
/** The peer's Go verifier leaves out what is empty before it checks the signature: an optional text is written filled. */
export const filledText: Shape<string> = fits(
  (value, level) => typeof value === "string" && (level === "read" || value !== ""),
);
export const flag: Shape<boolean> = fits((value) => typeof value === "boolean");
export const anyObject: Shape<{ readonly [key: string]: unknown }> = fits(isObject);

/** `write` is the schema's pattern, `read` what is needed to make sense of the value. */
export function text(patterns: { readonly read: RegExp; readonly write: RegExp }): Shape<string> {
  return fits((value, level) => typeof value === "string" && patterns[level].test(value));
}

export function integer(least: number, most = Number.MAX_SAFE_INTEGER): Shape<number> {
  return fits((value) => Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most);
}

export function oneOf<const T extends string | boolean>(...values: readonly T[]): Shape<T> {
  return fits((value) => values.includes(value as T));
}

/** What the schema lists, which reading doesn't insist on. */
export function known<const T extends string>(...values: readonly T[]): Shape<T> {
  return fits((value, level) => typeof value === "string" && (level === "read" || values.includes(value as T)));
}

export function nullOr<T>(shape: Shape<T>): Shape<T | null> {
  return { check: (value, level) => (value === null ? null : shape.check(value, level)) };
}

export function list<T>(item: Shape<T>, least: number): Shape<readonly T[]> {
  return {
    check(value, level) {
      if (!Array.isArray(value) || value.length < least) return "";
      for (let index = 0; index < value.length; index += 1) {
        const at = item.check(value[index], level);
        if (at !== null) return `[${index}]${at}`;
      }
      return null;
    },
  };
}

type Fields = { readonly [name: string]: Shape<unknown> };
type Needed<F extends Fields> = { readonly [K in keyof F]: TypeOf<F[K]> };
type Optional<F extends Fields> = { readonly [K in keyof F]?: TypeOf<F[K]> };

export function object<R extends Fields, O extends Fields>(needed: R, optional: O): Shape<Needed<R> & Optional<O>> {
  const all = Object.entries<Shape<unknown>>({ ...needed, ...optional }).map(([name, shape]) => ({
    name,
    shape,
    isNeeded: Object.hasOwn(needed, name),
  }));
  const names = new Set(all.map(({ name }) => name));
  return {
    check(value, level) {
      if (!isObject(value)) return "";
      for (const { name, shape, isNeeded } of all) {
        const member = value[name];
        if (!isNeeded && (member === undefined || (member === null && level === "read"))) continue;
        const at = shape.check(member, level);
        if (at !== null) return `.${name}${at}`;
      }
      if (level === "read") return null;
      for (const name of Object.keys(value)) if (!names.has(name) && value[name] !== undefined) return `.${name}`;
      return null;
    },
  };
}

/** A shape with one more condition that its fields have among themselves. */
export function where<T>(shape: Shape<T>, holds: (value: T, level: Level) => boolean): Shape<T> {
  return {
    check: (value, level) => shape.check(value, level) ?? (holds(value as T, level) ? null : ""),
  };
}

/** Where only writing is held to a narrower shape. */
export function written<T>(shape: Shape<T>, narrower: Shape<unknown>): Shape<T> {
  return {
    check: (value, level) => shape.check(value, level) ?? (level === "read" ? null : narrower.check(value, "write")),
  };
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
