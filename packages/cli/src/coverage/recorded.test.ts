import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoreReader } from "@countersign/store";
import { Recorded } from "./recorded.ts";

test("a permit that was used counts for its own claim, not for a command that mentions it", async () => {
  const permit = "01a0c2ff-0000-7000-8000-000000000001";
  const reader = {
    openProposals: async () => [],
    endedProposals: async () => [],
    ledger: async ({ afterSeq }: { afterSeq: number }) =>
      afterSeq === 0 ? [{ seq: 1, type: "started", atMs: 1_000, body: { permit } }] : [],
  } as unknown as StoreReader;
  const recorded = await Recorded.read(reader, 0);
  const has = (command: string) =>
    recorded.has({
      ...{ agent: "gemini", sessionId: "s", callId: undefined, tool: "Bash", command },
      ...{ atMs: 1_000, cwd: undefined, at: { file: "f", line: 1 } },
    });
  const claim = `/usr/bin/env -i "TERM=\${TERM-}" '/usr/bin/node' '/h/hook/countersign-sh.cjs' '--home' '/h' '--agent' 'gemini' '${permit}'`;
  assert.ok(has(claim));
  assert.ok(has(claim), "a transcript may tell of it again");
  assert.ok(!has(`rm -rf x # ${claim}`));
  assert.ok(!has(`rm -rf x # countersign-sh.cjs '${permit}'`));
  assert.ok(!has(claim.replace("/usr/bin/node", "/tmp/evil/node")));
});
