/**
 * JSON as Go's encoding/json writes it: `<`, `>`, `&`, U+2028 and U+2029 escaped, control characters in Go's own forms. Who compares bytes
 * sees no difference to a stock execd. A field that is undefined is left out (`omitempty`); the order is the caller's.
 */
export function goEncode(value: unknown): string {
  return JSON.stringify(value).replace(ESCAPED, (found) => ESCAPES.get(found) ?? found);
}

const ESCAPED = /[<>&\u2028\u2029]/g;

const ESCAPES = new Map([
  ["<", "\\u003c"],
  [">", "\\u003e"],
  ["&", "\\u0026"],
  ["\u2028", "\\u2028"],
  ["\u2029", "\\u2029"],
]);

/** Of a map, whose keys Go sorts by their bytes. */
export function sortedByBytes<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  const keys = Object.keys(record).sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  return Object.fromEntries(keys.map((key) => [key, record[key] as T]));
}
