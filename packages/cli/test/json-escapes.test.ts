import assert from "node:assert/strict";
import { test } from "node:test";
import { Place } from "./countersign.ts";

const DECEIVING = "a\u009b31mb\u007fc\u202ed\u2066e\u200bf\ufeffg\u2028h";
const RAW = /[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

test("--json shows a command without anything that a terminal obeys, and parses to it", async (t) => {
  const place = new Place(t);
  await place.serve();
  const command = `touch '${DECEIVING}' /proc/self/oom_score`;
  const asking = place.start(["exec", "--json", "--", command]);
  await place.waiting(1);
  const pending = (await place.run("pending", "--json")).stdout;
  assert.doesNotMatch(pending, RAW);
  const [card] = JSON.parse(pending);
  assert.equal(card.command, command);
  assert.ok(card.riskReasons.join().includes("/proc/self/oom_score"), card.riskReasons.join());
  assert.doesNotMatch(card.riskReasons.join(), /\/proc\/\d/);
  const shown = (await place.run("pending")).stdout;
  assert.doesNotMatch(shown, RAW);
  const denied = await place.run("deny", card.approvalId);
  assert.equal(denied.code, 0, denied.stderr);
  assert.doesNotMatch((await asking.ended).stdout, RAW);
  for (const args of [
    ["explain", "--json", "--", command],
    ["receipts", "list", "--json"],
  ])
    assert.doesNotMatch((await place.run(...args)).stdout, RAW, args.join(" "));
});
