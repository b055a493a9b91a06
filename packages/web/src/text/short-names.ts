const HOME = /^\/(?:home|Users)\/[^/]+(?=\/|$)|^\/root(?=\/|$)/;

/** Abbreviates a path that looks like a home directory: `~/src/web`. Use the full path where it matters. */
export function shortPath(path: string): string {
  return path.replace(HOME, "~");
}

/** The last part of a path. */
export function lastPart(path: string): string {
  return path.split("/").findLast((part) => part !== "") ?? path;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Abbreviates a UUID, the name of a session that the agent didn't name, to its last part. */
export function sessionName(id: string): string {
  return UUID.test(id) ? id.slice(-8) : id;
}
