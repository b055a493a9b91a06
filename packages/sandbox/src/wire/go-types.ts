import { GoJsonError, type GoNode, readFirstValue, readOnlyValue } from "./go-json.ts";

/** What a field of a Go struct takes. `into` is what an earlier member of the same name has left there. */
export interface GoType<T> {
  readonly zero: () => T;
  readonly take: (node: GoNode, into: T) => T;
  /** The first member that no field takes: this execd passes it over, another build may not. */
  readonly strange?: (node: GoNode) => string | undefined;
}

/** The first of them that has one. */
function firstStrange<N>(
  nodes: readonly N[],
  strange: ((node: N) => string | undefined) | undefined,
): string | undefined {
  for (const node of strange ? nodes : []) {
    const found = strange?.(node);
    if (found !== undefined) return found;
  }
  return undefined;
}

export interface Taken<T> {
  readonly value: T;
  readonly strange: string | undefined;
}

/** The first value of a body. Throws GoJsonError. */
export function takeFirst<T>(type: GoType<T>, bytes: Uint8Array): Taken<T> {
  const { node } = readFirstValue(bytes);
  return { value: type.take(node, type.zero()), strange: type.strange?.(node) };
}

/** A text that is one value. Throws GoJsonError. */
export function takeOnly<T>(type: GoType<T>, bytes: Uint8Array): Taken<T> {
  const node = readOnlyValue(bytes);
  return { value: type.take(node, type.zero()), strange: type.strange?.(node) };
}

export function decodeFirst<T>(type: GoType<T>, bytes: Uint8Array): T {
  return takeFirst(type, bytes).value;
}

export function decodeOnly<T>(type: GoType<T>, bytes: Uint8Array): T {
  return takeOnly(type, bytes).value;
}

/** null changes nothing in a plain field: an earlier member of the same name keeps its word. */
function plain<T>(zero: T, read: (node: GoNode) => T | undefined): GoType<T> {
  return {
    zero: () => zero,
    take(node, into) {
      if (node.kind === "null") return into;
      const value = read(node);
      if (value === undefined) throw new GoJsonError("MISMATCH", `a ${node.kind} where another kind belongs`);
      return value;
    },
  };
}

export const goString = plain("", (node) => (node.kind === "string" ? node.value : undefined));
export const goBool = plain(false, (node) => (node.kind === "bool" ? node.value : undefined));
/** An int64: no fraction, no exponent. What a double doesn't hold exactly is no number of ours either. */
export const goInt = plain(0, (node) => {
  if (node.kind !== "number" || !/^-?\d+$/.test(node.text)) return undefined;
  const value = Number(node.text);
  return Number.isSafeInteger(value) ? (value === 0 ? 0 : value) : undefined;
});

/** An int64 that is on no record: all that Go takes, the longest ones only about. */
export const goAboutInt = plain(0, (node) => {
  if (node.kind !== "number" || !/^-?\d{1,19}$/.test(node.text)) return undefined;
  const value = BigInt(node.text);
  return value === BigInt.asIntN(64, value) ? Number(value) : undefined;
});

/** A pointer to a number that isn't negative: null and nothing are the same. */
export const goOptionalUint32: GoType<number | undefined> = {
  zero: () => undefined,
  take(node) {
    if (node.kind === "null") return undefined;
    const value = goInt.take(node, 0);
    if (value >= 0 && value <= 0xffff_ffff) return value;
    throw new GoJsonError("MISMATCH", `number ${value} where a uint32 belongs`);
  },
};

/** A pointer to a bool: what isn't said is neither, and null takes back what was. */
export const goOptionalBool: GoType<boolean | undefined> = {
  zero: () => undefined,
  take: (node) => (node.kind === "null" ? undefined : goBool.take(node, false)),
};

/** Keys as they are, a later one over an earlier one, each element new. Two maps for the same field are joined. */
export function goMap<T>(element: GoType<T>): GoType<ReadonlyMap<string, T>> {
  return {
    zero: () => new Map(),
    take(node, into) {
      if (node.kind === "null") return new Map();
      if (node.kind !== "object") throw new GoJsonError("MISMATCH", `a ${node.kind} where an object belongs`);
      const map = new Map(into);
      for (const [key, value] of node.members) map.set(key, element.take(value, element.zero()));
      return map;
    },
    strange: (node) =>
      node.kind === "object"
        ? firstStrange(
            node.members.map(([, value]) => value),
            element.strange,
          )
        : undefined,
  };
}

/** Whatever was there before, nothing of it is left. */
const PLAIN_KINDS: readonly GoNode["kind"][] = ["bool", "number", "string"];

/** null and [] are not the same: nil, and a slice without elements. */
export function goSlice<T>(element: GoType<T>): GoType<readonly T[] | null> {
  return {
    zero: () => null,
    take(node, into) {
      if (node.kind === "null") return null;
      if (node.kind !== "array") throw new GoJsonError("MISMATCH", `a ${node.kind} where an array belongs`);
      // Go decodes into the elements that are there already.
      return node.items.map((item, index) => {
        // Behind the last one it may find an older list's: what of that shows through isn't known.
        if (into && index >= into.length && !PLAIN_KINDS.includes(item.kind))
          throw new GoJsonError("MISMATCH", `a ${item.kind} where an older element may show through`);
        return element.take(item, into?.[index] ?? element.zero());
      });
    },
    strange: (node) => (node.kind === "array" ? firstStrange(node.items, element.strange) : undefined),
  };
}

type Fields<T> = { readonly [K in keyof T]: GoType<T[K]> };

/** Members that no field takes are ignored; names are compared without case; a later one goes over an earlier one. */
export function goStruct<T extends object>(fields: Fields<T>): GoType<T> {
  const names = Object.keys(fields) as (keyof T & string)[];
  const byFolded = new Map(names.map((name) => [fold(name), name]));
  return {
    zero: () => Object.fromEntries(names.map((name) => [name, fields[name].zero()])) as T,
    take(node, into) {
      if (node.kind === "null") return into;
      if (node.kind !== "object") throw new GoJsonError("MISMATCH", `a ${node.kind} where an object belongs`);
      const value = { ...into };
      for (const [key, member] of node.members) {
        const name = byFolded.get(fold(key));
        if (name !== undefined) value[name] = fields[name].take(member, value[name]);
      }
      return value;
    },
    strange(node) {
      if (node.kind !== "object") return undefined;
      return firstStrange(node.members, ([key, member]) => {
        const name = byFolded.get(fold(key));
        return name === undefined ? key : fields[name].strange?.(member);
      });
    },
  };
}

/** Unicode's simple folding, as far as names of ASCII letters are concerned: two letters beyond ASCII fold into it. */
function fold(name: string): string {
  return name.replace(/[A-Z\u017F\u212A]/g, (letter) =>
    letter === "\u017F" ? "s" : letter === "\u212A" ? "k" : letter.toLowerCase(),
  );
}
