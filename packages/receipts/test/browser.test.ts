// The verifier in a real browser: ES modules as they are in `src`, only their types taken away.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { stripTypeScriptTypes } from "node:module";
import type { AddressInfo } from "node:net";
import { normalize } from "node:path";
import { type TestContext, test } from "node:test";
import { chromium } from "playwright-core";
import { newSigner, SampleChain } from "./sample-chain.ts";

const PAGE = '<!doctype html><meta charset="utf-8"><title>verify</title><link rel="icon" href="data:,">';

const VERIFY = `async ({ raws, changed, key }) => {
  const { LedgerVerifier, ownDidKey, trustKey, webCrypto } = await import("/src/index.ts");
  const check = async (receipts, keys) => {
    const verifier = new LedgerVerifier({ crypto: webCrypto(), keys, bytes: "canonical" });
    for (const raw of receipts) await verifier.feed(Uint8Array.from(raw));
    const { fault } = await verifier.finish();
    return fault && [fault.code, fault.index];
  };
  return [
    await check(raws, trustKey(Uint8Array.from(key))),
    await check(raws, ownDidKey),
    await check(raws.with(2, changed), ownDidKey),
    await check(raws.toSpliced(1, 1), ownDidKey),
  ];
}`;

test("a ledger is verified in a browser", async (t) => {
  const executablePath = spawnSync("which", ["chromium"], { encoding: "utf8" }).stdout.trim();
  if (executablePath === "") return t.skip("install chromium (apt-get install chromium)");
  const signer = newSigner();
  const { raws } = await SampleChain.of(5, signer);
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--no-first-run"] });
  t.after(() => browser.close());
  const page = await browser.newPage();
  await page.goto(await serveSource(t));
  const changed = Buffer.from(
    Buffer.from(raws[2] as Uint8Array)
      .toString()
      .replace("proposal-3", "proposal-9"),
  );
  const input = { raws: raws.map((raw) => [...raw]), changed: [...changed], key: [...signer.publicKey] };
  const found = await page.evaluate(`(${VERIFY})(${JSON.stringify(input)})`);
  assert.deepEqual(found, [null, null, ["INVALID_SIGNATURE", 2], ["SEQUENCE_GAP", 1]]);
});

async function serveSource(t: TestContext): Promise<string> {
  const server = createServer(async (request, response) => {
    const path = request.url ?? "/";
    const isModule = /^\/src\/[\w./-]+\.ts$/.test(path) && normalize(path) === path;
    response.setHeader("content-type", isModule ? "text/javascript" : "text/html");
    response.end(isModule ? stripTypeScriptTypes(await readFile(new URL(`..${path}`, import.meta.url), "utf8")) : PAGE);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
