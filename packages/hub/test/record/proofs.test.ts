import assert from "node:assert/strict";
import { test } from "node:test";
import { checkProof, followKeyHistory, type LedgerProof, openByLine, readProof } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import { Client, openServer } from "../support/open-server.ts";

const crypto = nodeCrypto();

interface Answer {
  readonly status: number;
  readonly body: unknown;
}
const codeOf = ({ body }: Answer) => (body as { error?: { code: string } }).error?.code;
const proofIn = ({ status, body }: Answer): LedgerProof => {
  assert.equal(status, 200, JSON.stringify(body));
  const proof = readProof(body);
  assert.ok(proof);
  return proof;
};

test("the newest checkpoint, what is in it and how it has grown are told and proved, at every door", async (t) => {
  const server = await openServer(t);
  const get = (path: string) => server.api("GET", path);
  assert.equal(codeOf(await get("/api/v1/checkpoint")), "NOT_FOUND");
  assert.equal(codeOf(await get("/api/v1/receipts/1/proof")), "NOT_FOUND");
  await server.api("POST", "/api/v1/exec", { command: "true", cwd: server.workspace });
  // The change has the new key sign a checkpoint.
  assert.equal(codeOf(await server.api("POST", "/api/v1/receipts/rotate", {})), "INVALID_PARAMS");
  assert.equal((await server.api("POST", "/api/v1/receipts/rotate", { confirm: true })).status, 200);

  const { body } = await get("/api/v1/checkpoint");
  const { size, note, line } = body as { size: number; note: string; line: string[] };
  const followed = await followKeyHistory(line, crypto);
  assert.ok(followed.kind === "line" && followed.keys.length === 2);
  const opened = await openByLine(note, followed, crypto);
  assert.deepEqual([opened?.checkpoint.size, opened?.signer], [size, 1]);

  const { body: listed } = await get("/api/v1/receipts");
  const receipts = listed as { seq: number; hash: string; receipt: { id: string } }[];
  for (const { seq, hash, receipt } of receipts.slice(0, size)) {
    for (const id of [`${seq}`, hash, encodeURIComponent(receipt.id)]) {
      const proof = proofIn(await get(`/api/v1/receipts/${id}/proof`));
      assert.ok(proof.kind === "inclusion" && proof.seq === seq);
      assert.equal((await checkProof(proof, crypto)).fault, null);
    }
  }
  for (let from = 1; from <= size; from += 1) {
    const proof = proofIn(await get(`/api/v1/receipts/consistency?from=${from}`));
    assert.ok(proof.kind === "consistency" && proof.to.size === size && proof.from.size === from);
    assert.deepEqual((await checkProof(proof, crypto)).signed, { from: from === size, to: true });
  }
  // The receipt that carries the checkpoint isn't in it.
  assert.equal(codeOf(await get(`/api/v1/receipts/${size + 1}/proof`)), "CONFLICT");
  assert.equal(codeOf(await get("/api/v1/receipts/1/proof?size=1")), "NOT_FOUND");
  for (const path of ["1/proof?size=0", "1/proof?size=x", "1/proof?extra=1", "consistency", "consistency?from=0"]) {
    assert.equal(codeOf(await get(`/api/v1/receipts/${path}`)), "INVALID_PARAMS", path);
  }
  assert.equal(codeOf(await get("/api/v1/receipts/consistency?from=2&to=1")), "INVALID_PARAMS");
  assert.equal(codeOf(await get("/api/v1/receipts/consistency?from=1&to=9007199254740991")), "NOT_FOUND");
  assert.equal(codeOf(await get("/api/v1/receipts/nothing/proof")), "NOT_FOUND");

  const client = await Client.open(server.url);
  client.send({ type: "auth", token: server.token });
  await client.next();
  const rpc = async (method: string, params: object) => {
    client.send({ id: method, method, params });
    return (await client.next()) as { result?: object; error?: { code: number } };
  };
  assert.deepEqual((await rpc("receipts.checkpoint", {})).result, body);
  assert.deepEqual((await rpc("receipts.prove", { id: "2" })).result, (await get("/api/v1/receipts/2/proof")).body);
  const grown = await get("/api/v1/receipts/consistency?from=2&to=3");
  assert.deepEqual((await rpc("receipts.consistency", { from: 2, to: 3 })).result, grown.body);
  assert.equal((await rpc("receipts.consistency", { from: -1 })).error?.code, -32602);
});
