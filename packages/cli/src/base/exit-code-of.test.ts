import assert from "node:assert/strict";
import { test } from "node:test";
import { outcomeSentence } from "@countersign/protocol/describe";
import { outcomeKindSchema } from "@countersign/protocol/proposals";
import type { OutcomeKind } from "@countersign/vocabulary";
import { exitCodeOf } from "./exit-code-of.ts";

test("every kind of outcome has its code", () => {
  const codes = outcomeKindSchema.options.map((kind): [OutcomeKind, number] => [
    kind,
    exitCodeOf({ kind, exitCode: 7, signal: "SIGKILL" }),
  ]);
  assert.deepEqual(Object.fromEntries(codes), {
    exited: 7,
    signalled: 137,
    "timed-out": 124,
    aborted: 130,
    denied: 126,
    expired: 126,
    cancelled: 126,
    "jail-refused": 125,
    "not-started": 125,
    interrupted: 125,
  });
});

test("whatever didn't simply exit says so in a sentence, with nothing to obey in it", () => {
  for (const kind of outcomeKindSchema.options) {
    const sentence = outcomeSentence({ kind, reason: "a\x1b[2Jb" }, 0);
    assert.ok(sentence);
    assert.doesNotMatch(sentence, /\x1b/);
  }
  // What its jail saw is told; else its own end says it all.
  assert.equal(outcomeSentence({ kind: "exited", exitCode: 1 }, 0), undefined);
});

test("the words that agents are told", () => {
  const person = { kind: "denied", by: "person", reason: "Denied by ann: use npm run clean" } as const;
  assert.equal(
    outcomeSentence(person, 0),
    "Denied by ann: use npm run clean. Do not reach the same effect another way; propose something else or ask.",
  );
  assert.equal(
    outcomeSentence({ kind: "denied", by: "paused", reason: "Countersign is paused" }, 0),
    "Denied by the pause: Countersign is paused. It did not run.",
  );
  assert.equal(
    outcomeSentence({ kind: "expired", by: "timeout", reason: "Nobody answered in time" }, 61_000),
    "Nobody answered in 1 min. This isn't a refusal; continue with other work.",
  );
});
