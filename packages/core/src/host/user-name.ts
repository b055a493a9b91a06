import { userInfo } from "node:os";

let known: string | undefined;

/** Who this process runs as; looked up once, because every proposal asks. */
export function userName(): string {
  known ??= lookUp();
  return known;
}

/** A user id without an entry in the user database (usual in containers) has no name, and isn't an error. */
function lookUp(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? "unknown"}`;
  }
}
