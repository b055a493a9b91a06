const SHORTEST = 8;

/**
 * The end of an id, as long as it takes to be alone among the others. The end, because UUIDv7s begin with the time:
 * those of one minute begin alike.
 */
export function shortId(id: string, all: readonly string[]): string {
  for (let length = SHORTEST; length < id.length; length += 1) {
    const end = id.slice(-length);
    if (end.startsWith("-")) continue;
    if (!all.some((other) => other !== id && other.endsWith(end))) return end;
  }
  return id;
}
