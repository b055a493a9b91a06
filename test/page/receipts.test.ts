import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { EXPORTED_RECEIPTS_HEADER } from "@countersign/protocol/records";
import type { Download, Page } from "playwright-core";
import { deepTest } from "../../packages/cli/test/deep-test.ts";
import { FakeClock } from "../../packages/hub/test/support/fake-clock.ts";
import { openServer, type TestServer } from "../../packages/hub/test/support/open-server.ts";
import { openSignedIn, seriousViolations, shot } from "./open-page.ts";

const COMMAND = fileURLToPath(new URL("../../packages/cli/bin/countersign.js", import.meta.url));

/** A few sessions, one of them with a hostile name, under two keys; each change of the key leaves a checkpoint. */
async function fill(server: TestServer): Promise<void> {
  const run = (session: string) =>
    server.api("POST", "/api/v1/exec", { command: "true", cwd: server.workspace, session });
  await run("fix-login");
  await run("<b onmouseover=alert(1)>bold</b>");
  await server.api("POST", "/api/v1/receipts/rotate", { confirm: true });
  await run("fix-login");
  await server.api("POST", "/api/v1/receipts/rotate", { confirm: true });
}

async function download(server: TestServer, format: "jsonl" | "bundle"): Promise<string> {
  const headers = { authorization: `Bearer ${server.token}` };
  return await (await fetch(`${server.url}/api/v1/receipts/export?format=${format}`, { headers })).text();
}

async function drop(page: Page, file: { name: string; text: string }): Promise<void> {
  const dataTransfer = await page.evaluateHandle(({ name, text }) => {
    const held = new DataTransfer();
    held.items.add(new File([text], name));
    return held;
  }, file);
  await page.locator(".receipts").dispatchEvent("drop", { dataTransfer });
}

/** Chosen with the button. */
async function give(page: Page, file: { name: string; text: string }): Promise<void> {
  const files = { name: file.name, mimeType: "application/json", buffer: Buffer.from(file.text) };
  await page.getByLabel("A bundle, or lines of receipts").setInputFiles(files);
}

async function saved(download: Download): Promise<string> {
  return readFileSync(await download.path(), "utf8");
}

function exported(server: TestServer, ...options: readonly string[]): string {
  const file = ["--file", server.home.database];
  const { stdout, status } = spawnSync(process.execPath, [COMMAND, "receipts", "export", ...options, ...file], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  assert.equal(status, 0);
  return stdout;
}

/** What this browser remembers was held against what the hub shows; how often, depends on when the hub made its checkpoints. */
const LOOKED = /This browser sees the record for the first time|The record has only grown|The record is the one that/;

const verdict = (page: Page) => page.locator(".verdict");

test("the receipts at a desk", async (t) => {
  const opened = await openSignedIn(t);
  if (opened === undefined) return;
  const { page, server, complaints } = opened;
  await fill(server);

  await t.test("the record is verified in the browser, its chains are read in order, a receipt is proved", async () => {
    await page.goto(`${server.url}/#/receipts`);
    await page.getByText(LOOKED).first().waitFor();
    await page.getByRole("button", { name: "Verify the record" }).click();
    await page.getByText("WHOLE").waitFor();
    await page.getByText("Signed by the key that this browser remembers since").waitFor();
    await page.getByText("Keys, last receipt and tree").click();
    await page.getByText("to one that had been committed to").first().waitFor();
    await shot(page, "receipts-whole");
    assert.deepEqual(await seriousViolations(page), []);
    await page.getByText("What this doesn’t prove").click();
    await page.getByText("That what was written is true").waitFor();

    await page
      .getByRole("link", { name: /fix-login/ })
      .first()
      .click();
    await page.getByText("Goes on from").waitFor();
    const rows = page.locator(".receipt-row");
    await rows.nth(2).waitFor();
    assert.deepEqual(
      (await rows.locator(".receipt-words").allTextContents()).map((words) => words.trim()),
      ["Decided: allow by the policy", "Started", "Ended: success"],
    );
    await rows.first().click();
    await page.getByRole("button", { name: "Prove that it is in the record" }).click();
    await page.getByText("PROVED", { exact: true }).waitFor();
    await shot(page, "receipts-chain");
    assert.deepEqual(await seriousViolations(page), []);
    assert.deepEqual(complaints, []);
  });

  await t.test(
    "a file is verified without being sent: where and why it breaks, whose key it is, and lines or bundles alike",
    async () => {
      const stranger = await openServer(t);
      await fill(stranger);
      await page.goto(`${server.url}/#/receipts`);
      await page.getByText(LOOKED).first().waitFor();
      const sent: string[] = [];
      page.on("request", (request) => sent.push(`${request.method()} ${request.url()}`));

      const lines = await download(server, "jsonl");
      await give(page, { name: "evidence.jsonl", text: lines });
      await verdict(page).getByText("WHOLE").waitFor();
      await give(page, { name: "evidence.json", text: await download(server, "bundle") });
      await verdict(page).getByText("a bundle").waitFor();
      await verdict(page).getByText("WHOLE").waitFor();

      const bundle = JSON.parse(await download(server, "bundle"));
      await give(page, { name: "issuer.json", text: JSON.stringify({ ...bundle, issuer: "did:web:elsewhere" }) });
      await verdict(page).getByText("BROKEN").waitFor();
      assert.match(
        (await verdict(page).textContent()) ?? "",
        /what the file says of itself.*BUNDLE_MISMATCH \(OTHER_ISSUER\)/s,
      );

      const tampered = lines
        .split("\n")
        .map((line, at) => (at === 4 ? line.replace('"countersign"', '"somebody"') : line));
      await drop(page, { name: "<i>tampered</i>.jsonl", text: tampered.join("\n") });
      await verdict(page).getByText("BROKEN").waitFor();
      assert.match((await verdict(page).textContent()) ?? "", /at receipt 5.*INVALID_SIGNATURE at index 4/s);
      await page.getByText("It was changed since it was signed").waitFor();
      await page.getByText("← breaks here").click();
      await shot(page, "receipts-broken");
      assert.deepEqual(await seriousViolations(page), []);

      const vectors = new URL("../../packages/receipts/test/testdata/v060.json", import.meta.url);
      const { newerChain } = JSON.parse(readFileSync(vectors, "utf8"));
      const newer = newerChain.map((receipt: object) => `${JSON.stringify(receipt)}\n`).join("");
      await give(page, { name: "newer.jsonl", text: newer });
      await verdict(page).getByText("UNRESOLVABLE_DID").waitFor();
      await page.getByLabel(/Were you given the key/).fill(JSON.parse(readFileSync(vectors, "utf8")).publicKey);
      await page.getByRole("button", { name: "Verify with it" }).click();
      await verdict(page).getByText("NEWER THAN THIS VERIFIER", { exact: true }).waitFor();
      assert.match((await verdict(page).textContent()) ?? "", /at receipt 2.*NEWER_VERSION at index 1/s);

      const missing = lines.split("\n").toSpliced(6, 1);
      await give(page, { name: "missing.jsonl", text: missing.join("\n") });
      await verdict(page)
        .getByText(/SEQUENCE_GAP|BROKEN_LINK|ANCHOR_MISMATCH/)
        .waitFor();
      await give(page, { name: "cut.jsonl", text: `${lines.split("\n").slice(0, 3).join("\n")}\n` });
      await verdict(page).getByText("TRUNCATED").waitFor();

      // Fits together, and somebody else made it.
      const other = await download(stranger, "jsonl");
      await give(page, { name: "forged.jsonl", text: other });
      await verdict(page).getByText("CONSISTENT, NOT TRUSTED").waitFor();
      await shot(page, "receipts-untrusted");
      assert.deepEqual(await seriousViolations(page), []);
      const theirs = /did:key:(z6Mk\w+)/.exec(other)?.[0] ?? "";
      const ours = /did:key:(z6Mk\w+)/.exec(lines)?.[0] ?? "";
      await page.getByLabel(/Were you given the key/).fill(ours);
      await page.getByRole("button", { name: "Verify with it" }).click();
      await verdict(page).getByText("BROKEN").waitFor();
      await give(page, { name: "forged.jsonl", text: other });
      await page.getByLabel(/Were you given the key/).fill(theirs);
      await page.getByRole("button", { name: "Verify with it" }).click();
      await page.getByText("Signed by the key that you gave.").waitFor();

      for (const [text, words] of [
        ["", "There are no receipts in it."],
        ['{"format":"countersign-bundle/1"', "This isn’t a whole bundle"],
      ] as const) {
        await give(page, { name: "nothing", text });
        await page.getByText(words).waitFor();
      }
      await give(page, { name: "noise", text: "<script>alert(1)</script>\u202e\u0000\n" });
      await verdict(page).getByText("MALFORMED_RECEIPT").waitFor();
      // Lookups of the page beside it, too short to hold a receipt; nothing that has a body.
      assert.deepEqual(
        sent.filter((request) => !/^(?:GET|HEAD) \S{1,200}$/.test(request)),
        [],
      );
      assert.deepEqual(complaints, []);
    },
  );
});

deepTest("a verification shows that it is under way, and can be stopped", async (t) => {
  const opened = await openSignedIn(t, { at: "#/receipts" });
  if (opened === undefined) return;
  const { page } = opened;
  const asked = Promise.withResolvers<void>();
  await page.route("**/api/v1/receipts/export*", () => asked.resolve());
  await page.getByRole("button", { name: "Verify the record" }).click();
  await asked.promise;
  await page.getByRole("progressbar").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped after 0 receipts. There is no verdict.").waitFor();
  await page.getByRole("button", { name: "Verify the record", disabled: false }).waitFor();
});

deepTest("a verification says how far it is, and goes on from there", async (t) => {
  const opened = await openSignedIn(t);
  if (opened === undefined) return;
  const { page, server } = opened;
  const change = { action: "deny", entries: [{ pattern: "echo **" }] };
  await server.api("POST", "/api/v1/policy/edit", { profile: "default", change });
  // What is denied starts no process, and is on record all the same.
  for (let round = 0; round < 82; round += 1) {
    const one = (n: number) =>
      server.api("POST", "/api/v1/exec", { command: `echo ${round} ${n}`, cwd: server.workspace, session: "many" });
    await Promise.all(Array.from({ length: 16 }, (_, n) => one(n)));
  }
  const slow = await slowExport(t, server);
  await page.goto(`${server.url}/#/receipts`);
  await page.route("**/api/v1/receipts/export*", (route) => route.continue({ url: slow.url }));
  await page.getByRole("button", { name: "Verify the record" }).click();
  const bar = page.getByRole("progressbar", { name: "How far it is" });
  const howFar = () => bar.evaluate((element) => (element as HTMLProgressElement).value);
  const beyond = async (least: number) => {
    await page.waitForFunction((from) => (document.querySelector("progress")?.value ?? 0) > from, least);
    return await howFar();
  };
  const figures = page.locator(".verify-figures");
  const counted = async () => /^([\d,]+) of ([\d,]+) receipts/.exec((await figures.textContent()) ?? "")?.slice(1);
  // Read in batches of 128, sixteen of them ahead of what is judged.
  assert.ok(slow.count > 20 * 128, `${slow.count}`);
  await slow.send(17 * 128 + 1);
  const first = await beyond(0);
  assert.ok(first < 0.5, `what is read ahead isn't verified: ${first}`);
  const [before, all] = (await counted()) ?? [];
  assert.equal(all, slow.count.toLocaleString("en"));
  await shot(page, "receipts-verifying");
  // It is told at most every 100 ms: what comes after that is.
  await page.waitForTimeout(150);
  await slow.send(20 * 128 + 1);
  const second = await beyond(first);
  assert.ok(second > first && second < 1);
  assert.notEqual((await counted())?.[0], before);
  await slow.send(slow.count);
  await verdict(page).getByText("WHOLE").waitFor();
  await bar.waitFor({ state: "detached" });
});

/** The hub's record as it is, from somebody who lets it through little by little. */
async function slowExport(t: TestContext, server: TestServer) {
  const headers = { authorization: `Bearer ${server.token}` };
  const answer = await fetch(`${server.url}/api/v1/receipts/export?format=jsonl`, { headers });
  const count = answer.headers.get(EXPORTED_RECEIPTS_HEADER) ?? "";
  const lines = (await answer.text()).trimEnd().split("\n");
  const asked = Promise.withResolvers<ServerResponse>();
  const between = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/jsonl", [EXPORTED_RECEIPTS_HEADER]: count });
    asked.resolve(response);
  });
  t.after(() => {
    between.closeAllConnections();
    between.close();
  });
  await new Promise<void>((resolve) => between.listen(0, "127.0.0.1", resolve));
  let sent = 0;
  return {
    url: `http://127.0.0.1:${(between.address() as AddressInfo).port}/`,
    count: lines.length,
    /** Up to the one of that number; all of them are the end of it. */
    async send(upTo: number): Promise<void> {
      const response = await asked.promise;
      response.write(`${lines.slice(sent, upTo).join("\n")}\n`);
      sent = upTo;
      if (upTo >= lines.length) response.end();
    },
  };
}

deepTest("a download is what the command line exports; of a chain, too", async (t) => {
  // A clock that stands still: a checkpoint that comes in between would be in one and not in the other.
  const opened = await openSignedIn(t, { clock: new FakeClock() });
  if (opened === undefined) return;
  const { page, server } = opened;
  await fill(server);
  await page.goto(`${server.url}/#/receipts`);
  for (const [button, format] of [
    ["Bundle", "bundle"],
    ["Lines", "jsonl"],
  ] as const) {
    await page.getByRole("button", { name: "Download…" }).click();
    const coming = page.waitForEvent("download");
    await page.getByRole("button", { name: button, exact: true }).click();
    assert.equal(await saved(await coming), await download(server, format));
  }
  assert.equal(await download(server, "jsonl"), exported(server, "--format", "jsonl"));
  await page
    .getByRole("link", { name: /fix-login/ })
    .first()
    .click();
  const coming = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download bundle" }).click();
  const { body } = await server.api("GET", "/api/v1/chains?text=fix-login");
  const [{ chainId }] = (body as { chains: [{ chainId: string }] }).chains;
  assert.equal(await saved(await coming), exported(server, "--format", "bundle", "--chain", chainId));
});

deepTest(
  "a hub that shows another history than this browser remembers is told, until somebody knows why",
  async (t) => {
    const opened = await openSignedIn(t);
    if (opened === undefined) return;
    const { page, server } = opened;
    await fill(server);
    await page.goto(`${server.url}/#/receipts`);
    await page.getByText(LOOKED).first().waitFor();
    const stranger = await openServer(t);
    await fill(stranger);
    const theirs = await stranger.api("GET", "/api/v1/checkpoint");
    await page.route("**/api/v1/checkpoint", (route) => route.fulfill({ json: theirs.body }));
    await server.api("POST", "/api/v1/receipts/rotate", { confirm: true });
    await page.getByText("The record has changed unexpectedly.").waitFor();
    await page.getByText("ISSUER_MISMATCH", { exact: true }).waitFor();
    await shot(page, "receipts-alarm");
    assert.deepEqual(await seriousViolations(page), []);
    await page.unroute("**/api/v1/checkpoint");
    await page.getByRole("button", { name: "I know why…" }).click();
    await page.getByRole("button", { name: "Forget what was seen" }).click();
    await page.getByText(LOOKED).first().waitFor();
    await page.getByText("The record has changed unexpectedly.").waitFor({ state: "detached" });
  },
);

deepTest("receipts on a phone and in the dark; by keyboard", async (t) => {
  const opened = await openSignedIn(t, { phone: true, dark: true });
  if (opened === undefined) return;
  const { page, server } = opened;
  await fill(server);
  await page.goto(`${server.url}/#/receipts`);
  await page.getByText(LOOKED).first().waitFor();
  await page.getByRole("button", { name: "Verify the record" }).press("Enter");
  await verdict(page).getByText("WHOLE").waitFor();
  await shot(page, "receipts-phone-dark");
  assert.deepEqual(await seriousViolations(page), []);
  await page.getByRole("link", { name: /bold/ }).press("Enter");
  await page.locator(".chain summary").first().press("Enter");
  await page.getByRole("button", { name: "Prove that it is in the record" }).press("Enter");
  await page.getByText("PROVED", { exact: true }).waitFor();
  await shot(page, "receipts-chain-phone-dark");
  assert.deepEqual(await seriousViolations(page), []);
  await page.getByRole("link", { name: "‹ Receipts" }).press("Enter");
  await page.getByRole("link", { name: "Checkpoints" }).press("Enter");
  await page.locator("summary.checkpoint-row").last().press("Enter");
  await page.getByRole("button", { name: /only grown since/ }).press("Enter");
  await page.getByText("PROVED", { exact: true }).waitFor();
  await shot(page, "receipts-checkpoints-phone-dark");
  assert.deepEqual(await seriousViolations(page), []);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
});
