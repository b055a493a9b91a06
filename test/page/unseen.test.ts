import assert from "node:assert/strict";
import { globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { deepTest } from "../../packages/cli/test/deep-test.ts";
import { emitFrames } from "../../packages/cli/test/emit-frames.ts";
import type { TestServer } from "../../packages/hub/test/support/open-server.ts";
import { answerable, denyAll, propose } from "./asking.ts";
import { openSignedIn } from "./open-page.ts";
import { agentOf, answered, waiting } from "./past-fixture.ts";
import { say } from "./talking.ts";
import { until } from "./until.ts";

/** Turns what follows around. */
const TURNED = "na\u202eme";
const UID = process.getuid?.() ?? 0;

/** Attributes and texts with what turns text around or isn't seen. A field's value is what was typed. */
function deceiving(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const unseen = /[\u202a-\u202e\u2066-\u2069\u200b]/;
    const found: string[] = [];
    for (const element of document.querySelectorAll("*")) {
      for (const { name, value } of element.attributes) {
        const isTyped = name === "value" && element.matches("input, option");
        if (!isTyped && unseen.test(value)) found.push(`${element.tagName} ${name}`);
      }
      for (const node of element.childNodes) {
        const isText = node.nodeType === Node.TEXT_NODE && !element.matches("textarea");
        if (isText && unseen.test(node.textContent ?? "")) found.push(`${element.tagName} text`);
      }
    }
    return found;
  });
}

interface Look {
  readonly at: string;
  /** What is done there first. */
  readonly go?: () => Promise<void>;
  /** Something that somebody else wrote, named. */
  readonly told: Locator;
}

/** Whatever an agent, a sandbox or a repository can write is turned somewhere. */
async function furnish(server: TestServer, page: Page) {
  const agent = await agentOf(server, "claude-code");
  await answered(server, agent.propose("touch made", TURNED, { reason: TURNED }), {
    decision: "deny",
    reason: `no ${TURNED}`,
  });
  const entries = [{ pattern: `mkdir ${TURNED} **`, why: TURNED }];
  await server.api("POST", "/api/v1/policy/edit", { profile: "default", change: { action: "allow", entries } });
  await emitFrames(
    { home: server.home.dir },
    {
      ...{ channel: "opensandbox_execd", session_id: "box-1", tool: { name: TURNED, server: "execd" } },
      ...{ action_type: "system.command.execute", error: TURNED, input: { command: TURNED } },
      binding: { sandbox_id: "box-1", endpoint: "/command", route: TURNED, placement: "execd" },
      coverage: { covers: ["command"], placement: "execd", limits: [TURNED] },
    },
  );
  await page.goto("#/chat/new");
  await say(page, `Run: echo ${TURNED}`);
  await page.getByRole("article", { name: "Approval" }).waitFor();
  const chat = new URL(page.url()).hash;
  await denyAll(server);
  await page
    .getByRole("log")
    .getByText(/denied/i)
    .first()
    .waitFor();
  const asks = async (command: string, more: object = {}) => {
    const outcome = propose(server, command, { reason: TURNED, env: { NOTE: TURNED }, ...more });
    const { approvalId } = await until("a question", async () => (await waiting(server))[0]);
    return { outcome, approvalId };
  };
  const run = await asks(`echo ${TURNED}; while [ ! -e go ]; do sleep 0.05; done`, { session: "runs" });
  await server.api("POST", `/api/v1/approvals/${run.approvalId}/decision`, { decision: "allow-once" });
  await until("nothing that waits", async () => (await waiting(server)).length === 0);
  const asked = await asks(`rm -rf /srv/${TURNED}`, { session: "waits" });
  const idOf = async (path: string, name: string) =>
    await until(path, async () => {
      const { body } = await server.api("GET", path);
      const list = Array.isArray(body) ? body : Object.values(body as object).find(Array.isArray);
      return list?.[0]?.[name] as string | undefined;
    });
  return {
    chat,
    approvalId: asked.approvalId,
    run: await idOf("/api/v1/exec", "key"),
    story: await idOf("/api/v1/history?text=made", "key"),
    chain: await idOf("/api/v1/chains", "chainId"),
    over: [run.outcome, asked.outcome],
  };
}

deepTest("what turns text around is named in every view, also where it is only pointed at", async (t) => {
  const config = { receipts: { emitters: [{ uid: UID, role: "relay" }] } };
  const opened = await openSignedIn(t, { config });
  if (opened === undefined) return;
  const { page, server } = opened;
  const made = await furnish(server, page);
  const named = page.locator('main [title*="<U+202E>"]').first();
  const inText = page.locator("main .unseen").first();
  const approval = `#/approval/${made.approvalId}`;
  const press = (name: string) => async () => {
    await page.getByText("What it would do").waitFor();
    await answerable(page);
    await page.getByRole("button", { name }).click();
  };
  const live = page.getByText("● live");
  const looks: readonly Look[] = [
    { at: "#/inbox", told: inText },
    { at: approval, told: page.locator("main figure pre .unseen").first() },
    { at: approval, go: press("Review to allow"), told: page.locator(".confirm .unseen").first() },
    { at: approval, go: press("Edit"), told: page.locator(".edit .unseen").first() },
    { at: approval, go: press("Allow more than once"), told: page.locator(".scopes .unseen").first() },
    { at: "#/today", told: named },
    { at: "#/history", told: named },
    { at: `#/story/${made.story}`, told: inText },
    { at: "#/runs", told: inText },
    { at: `#/runs/${made.run}`, told: page.getByRole("region", { name: "Output" }).locator(".unseen").first() },
    { at: made.chat, told: inText },
    { at: "#/chat", told: inText },
    { at: "#/receipts", told: page.getByRole("heading", { name: "Receipts" }) },
    { at: `#/receipts/chain/${made.chain}`, told: page.locator(".receipt-row").first() },
    { at: "#/receipts/checkpoints", told: page.getByRole("heading", { name: "Receipts" }) },
    { at: "#/receipts/sandboxes", told: page.getByRole("link", { name: /box-1/ }) },
    {
      at: "#/receipts/sandboxes",
      go: async () => await page.getByRole("link", { name: /box-1/ }).click(),
      told: inText,
    },
    { at: "#/policy", told: inText },
    {
      at: "#/policy",
      go: async () => await page.getByRole("button", { name: /mkdir/ }).click(),
      told: inText,
    },
    { at: "#/connect", told: page.getByText("Off for this device.") },
    { at: "#/notify", told: page.getByText("Off for this device.") },
    { at: "#/more", told: page.getByText("Appearance") },
  ];
  for (const { at, go, told } of looks) {
    await page.goto(`${server.url}/${at}`);
    await page.reload();
    await live.waitFor();
    await go?.();
    await told.waitFor({ state: "attached" });
    assert.deepEqual(await deceiving(page), [], at);
  }
  const views = globSync("*/view.tsx", { cwd: new URL("../../packages/web/src", import.meta.url).pathname });
  const walked = new Set(looks.map(({ at }) => at.split("/")[1]));
  assert.deepEqual(
    views.map((path) => path.split("/")[0]).filter((view) => !walked.has(view)),
    [],
    "every view was looked at",
  );
  writeFileSync(join(server.workspace, "go"), "");
  await denyAll(server);
  await Promise.all(made.over);
});
