import assert from "node:assert/strict";
import { test } from "node:test";
import { type Outcome, outcomeKindSchema } from "../proposals/outcome.ts";
import { outcomeSentence, wordsForAgent } from "./outcome.ts";

/** Word for word: adapters hand these on as they are, and agents are tried out with them. */
const WORDS: readonly [Outcome, string][] = [
  [
    { kind: "denied", by: "person", reason: "Denied by ann: use npm run clean" },
    "Denied by ann: use npm run clean. Do not reach the same effect another way; propose something else or ask.",
  ],
  [
    { kind: "denied", by: "person", reason: "Denied by ann: use npm run clean." },
    "Denied by ann: use npm run clean. Do not reach the same effect another way; propose something else or ask.",
  ],
  [
    { kind: "denied", by: "person", reason: "Denied by ann" },
    "Denied by ann. Do not reach the same effect another way; propose something else or ask.",
  ],
  [
    { kind: "expired", by: "timeout", reason: "Nobody answered in time" },
    "Nobody answered in 9 min. This isn't a refusal; continue with other work.",
  ],
  [{ kind: "denied", by: "deny-entry", reason: "Force pushes go through ann." }, "Force pushes go through ann."],
  [{ kind: "denied", by: "deny-entry", reason: "Denied by entry rm **" }, "Denied by entry rm **"],
  [
    { kind: "exited", exitCode: 0, edited: { by: "ann", command: "npm test -- --run" } },
    "ann changed it to `npm test -- --run`; that is what ran.",
  ],
  [
    { kind: "timed-out", edited: { by: "ann", command: "npm test" } },
    "ann changed it to `npm test`; that is what ran. The command ran out of time and was ended.",
  ],
  [
    { kind: "denied", by: "person", reason: "Denied by ann", edited: { by: "ann", command: "cd a\nnpm test" } },
    "Propose exactly `cd a\nnpm test`; it is permitted once for 10 min.",
  ],
  [
    { kind: "not-started", reason: "npm has changed", edited: { by: "ann", command: "npm test" } },
    "It was allowed and did not start: npm has changed.",
  ],
];

test("the words for agents, word for word", () => {
  for (const [outcome, words] of WORDS) assert.equal(wordsForAgent(outcome, 540_000), words);
});

test("a wait is told in whole minutes, never in none", () => {
  const expired: Outcome = { kind: "expired", by: "timeout" };
  const told = [0, 29_999, 60_000, 90_000, 3_600_000].map((waitedMs) => wordsForAgent(expired, waitedMs));
  assert.deepEqual(
    told.map((words) => words?.match(/in (\d+) min\./)?.[1]),
    ["1", "1", "1", "2", "60"],
  );
});

test("nothing in a reason or a command can pose as something else", () => {
  for (const kind of outcomeKindSchema.options) {
    for (const by of ["person", "deny-entry"] as const) {
      const words = wordsForAgent(
        { kind, by, reason: "a\x1b[2J\u202eb", edited: { by: "x\x07", command: "\x1b]0;" } },
        0,
      );
      assert.doesNotMatch(words ?? "", /[\x1b\x07\u202e]/);
    }
  }
});

test("people are told what denied it, also where that is a rule", () => {
  assert.equal(
    outcomeSentence({ kind: "denied", by: "deny-entry", reason: "not now" }, 0),
    "Denied by a deny entry of the policy: not now. It did not run.",
  );
  assert.equal(wordsForAgent({ kind: "exited", exitCode: 1 }, 0), undefined);
});
