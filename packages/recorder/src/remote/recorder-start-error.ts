import { StartError } from "@countersign/core/errors";
import { StoreError } from "@countersign/store";

/** Whatever keeps a recorder from starting, as a sentence with what to do. */
export function asRecorderStartError(cause: unknown): unknown {
  if (cause instanceof Error && "syscall" in cause) {
    const remedy = "Check that its home and the directories of its sockets are its user's, and that there is space.";
    return new StartError("HOME_UNWRITABLE", `The recorder can't use its files (${cause.message}). ${remedy}`, {
      cause,
    });
  }
  if (!(cause instanceof StoreError)) return cause;
  if (cause.code !== "LOCKED") return new StartError("STORE_UNUSABLE", cause.message, { cause });
  const why =
    "A recorder, or a hub, uses this home already: a ledger has one writer. Stop that one, or name another --home.";
  return new StartError("ALREADY_RUNNING", why, { cause });
}
