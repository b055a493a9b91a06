const HOME = /^\/(?:home|Users)\/[^/]+(?=\/|$)|^\/root(?=\/|$)/;

/** `~/src/web`: what looks like somebody's home is one sign. Whoever has to know it exactly is shown the whole path. */
export function shortPath(path: string): string {
  return path.replace(HOME, "~");
}

/** What a directory is called. */
export function lastPart(path: string): string {
  return path.split("/").findLast((part) => part !== "") ?? path;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A session that the agent didn't name has a UUID; its end tells it from the others. */
export function sessionName(id: string): string {
  return UUID.test(id) ? id.slice(-8) : id;
}
