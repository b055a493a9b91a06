import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChainView } from "@countersign/protocol/records";
import { type Bundle, readBundle } from "@countersign/receipts";
import { readReceipts } from "@countersign/store";
import { openServer, type TestServer } from "../support/open-server.ts";

interface Listed {
  readonly receipts: number;
  readonly chains: readonly ChainView[];
  readonly next?: number;
}
interface Read {
  readonly chain: ChainView;
  readonly receipts: readonly { seq: number; hash: string; receipt: Record<string, unknown> }[];
}

const codeOf = ({ body }: { readonly body: unknown }) => (body as { error?: { code: string } }).error?.code;
const chainsOf = async (server: TestServer, query = "") =>
  (await server.api("GET", `/api/v1/chains${query}`)).body as Listed;
const run = (server: TestServer, session: string) =>
  server.api("POST", "/api/v1/exec", { command: "true", cwd: server.workspace, session });

async function stored(server: TestServer): Promise<string[]> {
  const raws: string[] = [];
  for await (const { raw } of readReceipts(server.home.database)) raws.push(raw);
  return raws;
}

function download(server: TestServer, query: string, token = server.token): Promise<Response> {
  return fetch(`${server.url}/api/v1/receipts/export?${query}`, { headers: { authorization: `Bearer ${token}` } });
}

test("chains are listed by where they begin, with their ends, whose they are and who signed; and looked for", async (t) => {
  const server = await openServer(t);
  for (const session of ["one", "two", "one"]) await run(server, session);
  const { chains, receipts, next } = await chainsOf(server);
  assert.equal(next, undefined);
  assert.equal(receipts, (await stored(server)).length);
  assert.equal(
    chains.reduce((sum, { count }) => sum + count, 0),
    receipts,
  );
  assert.deepEqual(
    chains.map(({ kind, name, count }) => [kind, name, count]),
    [
      ["session", "two", 3],
      ["session", "one", 6],
      ["root", null, receipts - 9],
    ],
  );
  const [two, one, root] = chains as [ChainView, ChainView, ChainView];
  assert.match(root.key, /^did:key:z6Mk/);
  assert.ok(one.agent !== null && one.firstSeq < two.firstSeq && two.lastSeq < one.lastSeq);
  assert.ok(one.firstAtMs <= one.lastAtMs);

  const found = async (text: string) =>
    (await chainsOf(server, `?text=${encodeURIComponent(text)}`)).chains.map(({ name }) => name);
  assert.deepEqual(await found("SESSION:ONE"), ["one"]);
  assert.deepEqual(await found(two.chainId), ["two"]);
  // A user may be called what a chain is: then that comes, too.
  assert.deepEqual((await found(one.agent)).slice(0, 2), ["two", "one"]);
  for (const nothing of ["%", "_", "'; DROP TABLE receipt; --"]) assert.deepEqual(await found(nothing), []);

  const first = await chainsOf(server, "?limit=2");
  assert.deepEqual(
    first.chains.map(({ name }) => name),
    ["two", "one"],
  );
  const rest = await chainsOf(server, `?limit=2&before=${first.next}`);
  assert.deepEqual([rest.chains.map(({ kind }) => kind), rest.next], [["root"], undefined]);
});

test("a chain is read from any place on, as it was signed", async (t) => {
  const server = await openServer(t);
  await run(server, "a/b é");
  const [listed] = (await chainsOf(server)).chains as [ChainView];
  const read = async (query: string) =>
    (await server.api("GET", `/api/v1/chains/${encodeURIComponent(listed.chainId)}?${query}`)).body as Read;
  const { chain, receipts } = await read("");
  assert.deepEqual(chain, listed);
  assert.equal(receipts.at(-1)?.hash, chain.head);
  assert.deepEqual((await read("after=1&limit=1")).receipts, receipts.slice(1, 2));
  assert.deepEqual((await read("after=99")).receipts, []);
  assert.equal(codeOf(await server.api("GET", "/api/v1/chains/none")), "NOT_FOUND");
  assert.equal(codeOf(await server.api("GET", "/api/v1/chains/none?limit=0")), "INVALID_PARAMS");
});

test("checkpoints come the newest first, in pages", async (t) => {
  const server = await openServer(t);
  for (let at = 0; at < 2; at += 1) await server.api("POST", "/api/v1/receipts/rotate", { confirm: true });
  const { body } = await server.api("GET", "/api/v1/checkpoints");
  const { checkpoints } = body as { checkpoints: { size: number; root: string; note: string; atMs: number }[] };
  const newest = (await server.api("GET", "/api/v1/checkpoint")).body as { size: number; root: string; note: string };
  assert.equal(checkpoints.length, 2);
  const { size, root, note } = checkpoints[0] as (typeof checkpoints)[0];
  assert.deepEqual({ size, root, note }, { size: newest.size, root: newest.root, note: newest.note });
  const page = await server.api("GET", `/api/v1/checkpoints?limit=1&before=${size}`);
  assert.deepEqual(page.body, { checkpoints: checkpoints.slice(1), next: checkpoints[1]?.size });
});

test("the ledger is exported as it is stored, whole or one chain of it, and only to those who see everything", async (t) => {
  const server = await openServer(t);
  await run(server, "one");
  await server.api("POST", "/api/v1/receipts/rotate", { confirm: true });
  await run(server, "two");
  const raws = await stored(server);
  const lines = await download(server, "format=jsonl");
  assert.equal(lines.headers.get("countersign-receipts"), `${raws.length}`);
  assert.equal(lines.headers.get("content-disposition"), 'attachment; filename="receipts.jsonl"');
  assert.equal(await lines.text(), raws.map((raw) => `${raw}\n`).join(""));

  const whole = readBundle(await (await download(server, "format=bundle")).json()) as Bundle;
  assert.deepEqual(
    whole.receipts.map(({ raw }) => raw),
    raws,
  );
  const [two] = (await chainsOf(server)).chains as [ChainView];
  const answer = await download(server, `format=bundle&chain=${encodeURIComponent(two.chainId)}`);
  const some = readBundle(await answer.json()) as Bundle;
  assert.equal(some.selection, true);
  assert.equal(answer.headers.get("countersign-receipts"), `${some.receipts.length}`);
  const rotation = raws.findIndex((raw) => raw.includes('"keyRotation":')) + 1;
  const seqs = some.receipts.map(({ seq }) => seq);
  assert.deepEqual(seqs, [1, rotation, two.firstSeq, two.firstSeq + 1, two.lastSeq]);

  for (const query of ["", "format=csv", `format=jsonl&chain=${encodeURIComponent(two.chainId)}`, "format=jsonl&x=1"]) {
    assert.equal((await download(server, query)).status, 400, query);
  }
  assert.equal((await download(server, "format=bundle&chain=none")).status, 404);
  const { token } = await server.makeToken("agent");
  assert.equal((await download(server, "format=jsonl", token)).status, 403);
});
