import { userInfo } from "node:os";

/** A user id without an entry in the user database (usual in containers) has no name, and isn't an error. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? "unknown"}`;
  }
}
