import assert from "node:assert/strict";
import { test } from "node:test";
import { claimCommand, claimedPermit } from "./claim-command.ts";

test("a claim is known by the whole of its text: what else stands beside it makes it another command", () => {
  const id = "01a0c2ff-0000-7000-8000-000000000001";
  for (const agent of ["claude-code", "codex", "gemini", "opencode", "acp"]) {
    const claim = claimCommand({ id }, { agent, homeDir: "/home/o'brien/.countersign" });
    assert.equal(claimedPermit(claim), id);
    const others = [
      `${claim}; rm -rf x`,
      `rm -rf x # ${claim}`,
      `${claim} 'more'`,
      claim.replace("/node'", "/rm'"),
      ` ${claim}`,
    ];
    for (const other of others) assert.equal(claimedPermit(other), undefined, other);
  }
  assert.equal(claimedPermit(`rm -rf x # countersign-sh.cjs '${id}'`), undefined);
  assert.equal(claimedPermit("ls"), undefined);
});
