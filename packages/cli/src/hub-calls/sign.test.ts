import assert from "node:assert/strict";
import { test } from "node:test";
import { explainUnverified } from "@countersign/protocol/describe";
import { proposalHashOf } from "@countersign/protocol/text";
import { shownHash } from "@countersign/sdk";
import { sampleCard } from "../watch/sample-card.ts";

test("the hash is that of what was shown, or nothing is signed", async () => {
  const shown = { command: "ls", cwd: "/w", env: { A: "1" } };
  const proposalHash = await proposalHashOf(shown);
  assert.equal(await shownHash(sampleCard({ ...shown, proposalHash })), proposalHash);
  for (const lie of [{ command: "ls -l" }, { cwd: "/" }, { env: {} }]) {
    await assert.rejects(shownHash(sampleCard({ ...shown, proposalHash, ...lie })), /isn't what would run/);
  }
  // What is hidden from the screen can't be hashed from there; nor can a question about the policy.
  assert.equal(await shownHash(sampleCard({ command: "A=[REDACTED] ls", proposalHash })), proposalHash);
  assert.equal(await shownHash(sampleCard({ env: { A: "[REDACTED]" }, proposalHash })), proposalHash);
  assert.equal(await shownHash(sampleCard({ subject: "policy", proposalHash })), proposalHash);
});

test("where the hash can't be checked there's a sentence that says so", () => {
  const table = [
    [{}, undefined],
    [{ command: "A=[REDACTED] ls" }, /^The hub redacted this command, so its hash could not be checked here\.$/],
    [{ env: { A: "[REDACTED]" } }, /^The hub redacted this command's environment, /],
    [{ cwd: undefined }, /^The hub didn't say where this command runs, /],
    [{ subject: "policy" }, /^This is a change of the policy and not a command, /],
  ] as const;
  for (const [change, expected] of table) {
    const { cwd, ...card } = { ...sampleCard(), ...change };
    const why = explainUnverified(cwd === undefined ? card : { ...card, cwd });
    if (expected) assert.match(why ?? "", expected);
    else assert.equal(why, undefined);
  }
});
