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
  const verify = async (...responses: readonly (string | Buffer)[]) => {
    const given = join(place.workspace, "responses.jsonl");
    writeFileSync(given, Buffer.concat(responses.flatMap((each) => [Buffer.from(each), Buffer.from("\n")])));
    const options = responses.length === 0 ? [] : ["--responses", given];
    return await place.run("receipts", "verify", file, "--trust", ledger.publicPem, "--json", ...options);
  };
  const verdict = async (...responses: readonly string[]) => JSON.parse((await verify(...responses)).stdout);

  const unchecked = await verdict();
  assert.deepEqual([unchecked.whole, unchecked.responsesUnchecked], [true, 1]);
  const held = await verdict("", JSON.stringify({ response: { said: "é", exit_code: 0 }, id }));
  assert.deepEqual([held.whole, held.responsesUnchecked], [true, 0]);
  for (const response of [{ exit_code: 1, said: "é" }, null, "\ufffd"]) {
    const { fault, notProved } = await verdict(
      JSON.stringify({ id, response }),
      JSON.stringify({ id: "urn:receipt:later", response }),
    );
    assert.deepEqual([fault.code, fault.index], ["RESPONSE_MISMATCH", 9]);
    assert.doesNotMatch(notProved.join("\n"), /given responses/, "what comes after it wasn't looked at");
  }
  const others = [
    JSON.stringify({ id, response: answer }),
    JSON.stringify({ id: JSON.parse(lines[0] as string).id, response: { forged: true } }),
    JSON.stringify({ id: "urn:receipt:mistyped", response: answer }),
  ];
  const unused = await verdict(...others);
  assert.deepEqual([unused.whole, unused.responsesUnchecked], [true, 0]);
  assert.match(unused.notProved.join("\n"), /by 2 of the given responses: no receipt here has a hash for them/);
  assert.doesNotMatch(held.notProved.join("\n"), /given responses/);
  const bytes = Buffer.from(JSON.stringify({ id, response: "\ufffd" })).toString("latin1");
  for (const wrong of [
    "{",
    "[]",
    '{"id":1,"response":2}',
    `{"id":"${id}"}`,
    `{"id":"x","response":1}\n{"id":"x","response":1}`,
    // What could be read in two ways.
    `{"id":"${id}","response":{"exit_code":1,"exit_code":0,"said":"é"}}`,
    `{"id":"${id}","response":1,"response":{"exit_code":0,"said":"é"}}`,
    `{"id":"x","id":"${id}","response":{"exit_code":0,"said":"é"}}`,
    `{"id":"${id}","response":9007199254740993}`,
    `{"id":"${id}","response":"\\ud800"}`,
    Buffer.from(bytes.replace("\u00ef\u00bf\u00bd", "\u00ff"), "latin1"),
  ])
    assert.equal((await verify(wrong)).code, 2, wrong.toString());
  const withProof = await place.run("receipts", "verify", "--proof", file, "--responses", file);
  assert.equal(withProof.code, 2);
  assert.match(withProof.stderr, /a proof is checked by itself/);
});
