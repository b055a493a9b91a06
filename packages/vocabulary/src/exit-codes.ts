export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  unreadable: 2,
  untrusted: 3,
  internal: 70,
  timedOut: 124,
  couldNot: 125,
  denied: 126,
  aborted: 130,
} as const;

/** What `--help` says about them. `exec` otherwise ends with the command's own code, so ours are those of timeout(1). */
export const EXIT_CODES: readonly (readonly [code: string, meaning: string])[] = [
  ["0", "success"],
  ["1", "failure; the message says why and what to do"],
  ["2", "wrong usage; explain --batch: a line of the input was invalid"],
  ["1–3", "receipts verify, report: 1 broken, 2 unreadable, 3 whole, but the signing key isn't trusted"],
  [
    "1, 3",
    "doctor: 1 a check failed, 3 a denial would not be enforced; coverage: 1 a call has no receipt or can't be read",
  ],
  ["70", "a bug in Countersign"],
  ["124", "exec, run: the command timed out"],
  ["125", "exec: the command couldn't be run (no hub, rejected, not started); run: the hub stopped"],
  ["126", "exec: denied, expired or withdrawn. run: the command didn't run, for any reason"],
  ["130", "exec, run: interrupted"],
  ["128+n", "exec, run: killed by signal n; any other code is the command's own"],
];
