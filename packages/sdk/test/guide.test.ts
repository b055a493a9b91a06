import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { METHODS } from "@countersign/protocol/wire";
import { chromium } from "playwright-core";
import { serveModules } from "./browser-modules.ts";
import { approval, GatewayFixture, TOKEN } from "./gateway-fixture.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

/** The person at the guide's client: answers one, is late for another, and loses the connection in between. */
const PERSON = `
const seen = [];
const news = () => new Promise((resolve) => client.onMessage(resolve));
const connected = () => new Promise((resolve) => client.onStateChange((state) => state === "connected" && resolve(state)));
while (shown.size < 3) await news();
seen.push([...shown.keys()]);
seen.push(await respondToApproval("a1", "allow-once"));
while (shown.has("a1")) await news();
seen.push([...shown.keys()]);
const back = connected();
await client.request(hub(), "settle-a2-and-cut").catch((error) => seen.push(error.code));
await back;
// Asked after the guide asked, so answered after it too.
await client.request(hub(), "listExecApprovals", {});
seen.push([...shown.keys()], await respondToApproval("a2", "deny"));
client.disconnect();
`;

const EXPECTED = [["a1", "a2", "a3"], true, ["a2", "a3"], "DISCONNECTED", ["a3"], false];

function guide(url: string): string {
  const block = /^```ts\n([\s\S]*?)^```/m.exec(readme)?.[1] ?? "";
  const code = block.replace("ws://127.0.0.1:18789/ws", url).replace("<an approver's token>", TOKEN);
  assert.ok(code.includes(url) && code.includes(TOKEN), "the guide's url and token could be filled in");
  return code;
}

/** Two approvals a page, so that the guide has to turn them. */
function actAsHub(gateway: GatewayFixture): void {
  for (const id of ["a1", "a2", "a3"]) gateway.pending.set(id, approval(id));
  gateway.handlers.set("listExecApprovals", ({ params, answer }) => {
    const { after = "" } = METHODS.listExecApprovals.params.parse(params);
    const rest = [...gateway.pending.values()].filter(({ approvalId }) => approvalId > after);
    const approvals = rest.slice(0, 2);
    answer(rest.length > 2 ? { approvals, next: approvals.at(-1)?.approvalId } : { approvals });
  });
  gateway.handlers.set("resolveExecApproval", ({ params, answer, refuse, peer }) => {
    const { approvalId, decision } = METHODS.resolveExecApproval.params.parse(params);
    if (!gateway.pending.delete(approvalId))
      return refuse("NOT_FOUND", "Approval request not found or already resolved");
    answer({ ok: true });
    peer.push("exec-approval-resolved", { approvalId, decision, by: "person" });
  });
  gateway.handlers.set("settle-a2-and-cut", () => {
    gateway.pending.delete("a2");
    gateway.cut();
  });
}

test("the guide works in Node", async (t) => {
  const gateway = await GatewayFixture.start(t);
  actAsHub(gateway);
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-"], { cwd: root, timeout: 120_000 });
  child.stdin.end(`${guide(gateway.url)}${PERSON}console.log(JSON.stringify(seen));`);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  assert.equal(stderr, "");
  assert.deepEqual(JSON.parse(stdout), EXPECTED);
});

test("the guide works in a browser", async (t) => {
  const executablePath = findChromium();
  if (!executablePath) return t.skip("install chromium (apt-get install chromium)");
  let script = "";
  const gateway = await GatewayFixture.start(
    t,
    serveModules(() => script),
  );
  actAsHub(gateway);
  script = `${guide(gateway.url)}${PERSON}
    const { generateDeviceKey, signDecision, verifyDecision } = await import("@countersign/sdk");
    const decision = { approvalId: "a", proposalHash: "h", decision: "deny", nonce: "n" };
    const key = await generateDeviceKey();
    seen.push(await verifyDecision(decision, key.publicKey, await signDecision(decision, key.privateKey)));
    globalThis.seen = seen;`;
  const page = await openPage(t, executablePath);
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await page.goto(`http://127.0.0.1:${gateway.port}/`);
  const seen = await page
    .waitForFunction("globalThis.seen", undefined, { timeout: 120_000 })
    .catch((error) => assert.fail([error, ...errors].join("\n")));
  assert.deepEqual(await seen.jsonValue(), [...EXPECTED, true]);
});

test("the guide compiles, against Node's types and against the DOM's", (t) => {
  const dir = mkdtempSync(join(tmpdir(), "cs-guide-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, "node_modules"));
  for (const scope of ["@countersign", "@types"])
    symlinkSync(join(root, "node_modules", scope), join(dir, "node_modules", scope));
  writeFileSync(join(dir, "package.json"), '{"type":"module"}');
  writeFileSync(join(dir, "guide.ts"), guide("ws://127.0.0.1:1/ws"));
  const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
  for (const place of [{ types: ["node"] }, { types: [], lib: ["es2024", "dom", "dom.iterable"] }]) {
    const config = { compilerOptions: { ...compilerOptions, ...place }, files: ["guide.ts"] };
    writeFileSync(join(dir, "tsconfig.json"), JSON.stringify(config));
    const { stdout, status } = spawnSync(join(root, "node_modules/.bin/tsc"), ["-p", dir], { encoding: "utf8" });
    assert.deepEqual([stdout, status], ["", 0]);
  }
});

test("the guide is short enough to be read", () => {
  assert.ok(readme.split("\n").length <= 121);
});

function findChromium(): string | undefined {
  return spawnSync("which", ["chromium"], { encoding: "utf8" }).stdout.trim() || undefined;
}

async function openPage(t: TestContext, executablePath: string) {
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
  args.push("--disable-component-update", "--disable-sync");
  const browser = await chromium.launch({ executablePath, args });
  t.after(() => browser.close());
  return await browser.newPage();
}
