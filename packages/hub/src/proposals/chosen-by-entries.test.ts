import assert from "node:assert/strict";
import { test } from "node:test";
import { ASSUMED_MACHINE, classify, decide, type Entry, readProfile } from "@countersign/policy";
import { entriesLend, jailOfEntries } from "./chosen-by-entries.ts";

function decided(command: string, allowlist: Entry[]) {
  const reading = readProfile({ execApproval: { allowlist } });
  assert(reading.ok);
  const circumstances = { enforcement: "jail", attended: true, nowMs: 0 } as const;
  const classification = classify(command, { ...ASSUMED_MACHINE, realpath: (path) => path });
  return { decision: decide(classification, reading.profile, circumstances), profile: reading.profile, circumstances };
}

test("entries choose the jail together: the narrowest, and none unless all say one", () => {
  const open: Entry = { id: "a", pattern: "touch **", jail: "open" };
  const narrow: Entry = { id: "b", pattern: "mkdir **", jail: "workspace" };
  const silent: Entry = { id: "c", pattern: "mv **" };
  const all = [open, narrow, silent];
  assert.equal(jailOfEntries(decided("touch a", all)), "open");
  assert.equal(jailOfEntries(decided("touch a; mkdir b", all)), "workspace");
  assert.equal(jailOfEntries(decided("touch a; mv b c", all)), undefined);
  assert.equal(jailOfEntries(decided("rm -rf a", all)), undefined);
  assert.equal(jailOfEntries(decided("ls", all)), undefined);
});

test("credentials are lent by entries only where each of them says so", () => {
  const entries = [
    { id: "a", pattern: "touch **", lend: true },
    { id: "b", pattern: "mkdir **" },
  ];
  assert.equal(entriesLend(decided("touch a", entries)), true);
  assert.equal(entriesLend(decided("touch a; mkdir b", entries)), false);
  assert.equal(entriesLend(decided("ls", entries)), false);
});
