export class StoreError extends Error {
  /**
   * CORRUPT: the database is damaged; restore a backup. FULL: no space; free some and try again.
   * UNWRITABLE: permissions or a read-only disk. TOO_NEW: written by a newer version; upgrade. EXISTS: the backup's
   * target is there already. CLOSED: the store was closed. BUSY: too many commits wait, or another program holds the
   * database; try again later. LOCKED: another hub runs on this home; use that one. OTHER_KEY: the ledger was signed with another key than the one that is
   * there; put that one back. NO_NEXT_KEY: the key that may follow isn't in its place; put it back. INVALID: a value that can't be kept
   * unchanged (see `Write`); a bug of the caller. FAILED: anything else; see the cause.
   *
   * With a recorder of its own. RECORDER_DOWN: it is out of reach; start it. RECORDER_REFUSED: it doesn't take this hub; pair them.
   * RECORDER_ROLLED_BACK: it has less than the mirror here, or another history; put its newest copy, or the mirror, in its place.
   * RECORDER_INVALID: it sent what doesn't verify. UNCONFIRMED: it didn't answer in time. Unlike with all the others the commit was kept then,
   * and goes on record later: nothing may follow from it.
   */
  readonly code:
    | "CORRUPT"
    | "FULL"
    | "UNWRITABLE"
    | "TOO_NEW"
    | "EXISTS"
    | "CLOSED"
    | "BUSY"
    | "LOCKED"
    | "INVALID"
    | "FAILED"
    | "NO_NEXT_KEY"
    | "OTHER_KEY"
    | "RECORDER_DOWN"
    | "RECORDER_REFUSED"
    | "RECORDER_ROLLED_BACK"
    | "RECORDER_INVALID"
    | "UNCONFIRMED";
  constructor(code: StoreError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StoreError";
    this.code = code;
  }
}
