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
  ["0", "it worked"],
  ["1", "it failed; the message says why and what to do"],
  ["2", "the command line is wrong; explain --batch: a line of the input was"],
  ["1–3", "receipts verify: 1 broken, 2 unreadable, 3 whole, but signed with a key that nobody vouches for"],
  [
    "1, 3",
    "doctor: 1 something doesn't work, 3 a denial would not be enforced; coverage: 1 a call has no receipt, or can't be read",
  ],
  ["70", "a bug in Countersign"],
  ["124", "exec, run: the command ran out of time"],
  ["125", "exec: Countersign could not run it (no hub, refused, not started); run: the hub ended meanwhile"],
  ["126", "exec: denied, expired or withdrawn; it did not run. run: whatever the reason, it did not run"],
  ["130", "exec, run: stopped while it ran"],
  ["128+n", "exec, run: ended by signal n; any other code is the command's own"],
];
