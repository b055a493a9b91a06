import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hashObject } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import { Place } from "./countersign.ts";
import { Ledger, writeLines } from "./ledger.ts";

test("what was answered is held against its hash, where it is given", async (t) => {
  const place = new Place(t);
  const ledger = await Ledger.make(place.home);
  const lines = ledger.lines();
  const answer = { exit_code: 0, said: "é" };
  const last = await ledger.forge(lines[9] as string, { after: lines[6] as string }, (draft) => ({
    ...draft,
    credentialSubject: {
      ...draft.credentialSubject,
      outcome: { status: "success", response_hash: hashObject(answer, nodeCrypto()) },
    },
  }));
  const file = writeLines(join(place.workspace, "evidence.jsonl"), lines.with(9, last));
  const { id } = JSON.parse(last) as { id: string };
  const verify = async (...responses: readonly string[]) => {
    const given = join(place.workspace, "responses.jsonl");
    writeFileSync(given, responses.join("\n"));
    const options = responses.length === 0 ? [] : ["--responses", given];
    return await place.run("receipts", "verify", file, "--trust", ledger.publicPem, "--json", ...options);
  };
  const verdict = async (...responses: readonly string[]) => JSON.parse((await verify(...responses)).stdout);

  const unchecked = await verdict();
  assert.deepEqual([unchecked.whole, unchecked.responsesUnchecked], [true, 1]);
  const held = await verdict("", JSON.stringify({ response: { said: "é", exit_code: 0 }, id }));
  assert.deepEqual([held.whole, held.responsesUnchecked], [true, 0]);
  for (const response of [{ exit_code: 1, said: "é" }, null, "\ud800"]) {
    const { fault } = await verdict(JSON.stringify({ id, response }));
    assert.deepEqual([fault.code, fault.index], ["RESPONSE_MISMATCH", 9]);
  }
  for (const wrong of [
    "{",
    "[]",
    '{"id":1,"response":2}',
    `{"id":"${id}"}`,
    `{"id":"x","response":1}\n{"id":"x","response":1}`,
  ])
    assert.equal((await verify(wrong)).code, 2, wrong);
});
