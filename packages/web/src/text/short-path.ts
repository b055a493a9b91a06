const HOME = /^\/(?:home|Users)\/[^/]+(?=\/|$)|^\/root(?=\/|$)/;

/** `~/src/web`: what looks like somebody's home is one sign. Whoever has to know it exactly is shown the whole path. */
export function shortPath(path: string): string {
  return path.replace(HOME, "~");
}

/** What a directory is called. */
export function lastPart(path: string): string {
  return path.split("/").findLast((part) => part !== "") ?? path;
}
