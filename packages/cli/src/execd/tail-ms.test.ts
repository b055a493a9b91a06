import assert from "node:assert/strict";
import { test } from "node:test";
import { tailMsOf } from "./tail-ms.ts";

test("calls have as long as execd's own, as Go writes it, and a second more; never less than two, never more than two minutes", () => {
  const cases: readonly (readonly [string | undefined, number])[] = [
    [undefined, 2000],
    ["", 2000],
    ["500ms", 2000],
    ["1s", 2000],
    ["3s", 4000],
    ["1.5s", 2500],
    ["1m30s", 91_000],
    ["1s500ms", 2500],
    ["1h", 120_000],
    ["0", 2000],
    ["-5s", 2000],
    ["5 s", 2000],
    ["soon", 2000],
  ];
  for (const [EXECD_API_GRACE_SHUTDOWN, ms] of cases)
    assert.equal(tailMsOf({ EXECD_API_GRACE_SHUTDOWN }), ms, EXECD_API_GRACE_SHUTDOWN);
});
