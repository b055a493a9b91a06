import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { silentLog } from "@countersign/core/base";
import { type Served, serve } from "@countersign/hub";
import { deepTest } from "../../packages/cli/test/deep-test.ts";
import { openCard, propose } from "./asking.ts";
import { cutAtWill, tryNow } from "./cut-at-will.ts";
import { becomeDevice, openAnonymous, openBrowser, openSignedIn } from "./open-page.ts";
import { answered, waiting } from "./past-fixture.ts";
import { until } from "./until.ts";

const AWAY = /The hub is unreachable. What you see may be out of date/;

test("a connection that is lost is said; what was typed stays, and what happened meanwhile is shown", async (t) => {
  const opened = await openSignedIn(t);
  if (opened === undefined) return;
  const { page, server, context } = opened;
  const first = propose(server, "touch first");
  const second = propose(server, "touch second", { session: "other" });
  await openCard(page, "touch first");
  await page.getByRole("button", { name: "Deny…" }).click();
  const why = page.getByRole("textbox", { name: /Why/ });
  await why.fill("not before lunch");

  await context.setOffline(true);
  await page.getByText(AWAY).waitFor();
  assert.equal(await why.inputValue(), "not before lunch");
  const [answered] = (
    (await server.api("GET", "/api/v1/approvals")).body as { approvalId: string; command: string }[]
  ).filter(({ command }) => command === "touch second");
  await server.api("POST", `/api/v1/approvals/${answered?.approvalId}/decision`, { decision: "deny" });
  const third = propose(server, "touch third", { session: "third" });

  await context.setOffline(false);
  await page.getByText("● live").waitFor();
  const list = page.getByRole("list", { name: "What waits" });
  await list.getByRole("link", { name: /touch third/ }).waitFor();
  await page.getByText(AWAY).waitFor({ state: "detached" });
  assert.equal(await why.inputValue(), "not before lunch");
  await why.press("Enter");
  await page.getByText(/Denied by you/).waitFor();
  assert.deepEqual([(await first).reason, (await second).kind], ["Denied by browser: not before lunch", "denied"]);
  await openCard(page, "touch third");
  await page.getByRole("button", { name: "Allow once" }).click();
  const { kind, approvalId = "" } = await third;
  assert.equal(kind, "exited");

  const asking = propose(server, "touch fourth");
  await openCard(page, "touch fourth");
  const card = new URL(page.url()).hash;
  const connections = await cutAtWill(page);
  // Each is looked at first while there's nobody to ask.
  for (const [at, there, told] of [
    [card, page.getByText("What it would do"), page.getByText(/allowed \d×, \d denied/)],
    [`#/story/${approvalId}`, page.getByRole("article", { name: "Story" }), page.getByText("Whole")],
    ["#/today", page.getByRole("heading", { name: "Today" }), page.getByRole("link", { name: "1 ran" })],
    ["#/connect", page.getByRole("heading", { name: "Notifications" }), page.getByText("Off for this device.")],
  ] as const) {
    await page.getByText("● live").waitFor();
    await page.goto("#/more");
    connections.cut();
    await page.getByText(AWAY).waitFor();
    await page.route("**/api/**", (route) => route.abort());
    await page.goto(at);
    await there.waitFor();
    assert.equal(await told.count(), 0);
    await page.unroute("**/api/**");
    await connections.mend();
    await told.first().waitFor();
  }
  await server.close();
  await asking.catch(() => undefined);
});

deepTest("a card that somebody else answers while there's no connection says who, and why", async (t) => {
  const opened = await openSignedIn(t);
  if (opened === undefined) return;
  const { page, server, context } = opened;
  for (const [command, answer, told] of [
    ["touch denied", { decision: "deny", reason: "use npm run clean" }, /Denied by .+: use npm run clean/],
    ["touch allowed", { decision: "allow-once" }, /Allowed by .+ · (?:exit code 0|it has ended)/],
  ] as const) {
    const proposed = propose(server, command);
    await openCard(page, command);
    await context.setOffline(true);
    await page.getByText(AWAY).waitFor();
    await answered(server, proposed, answer);
    await context.setOffline(false);
    await tryNow(page);
    await page
      .getByRole("status")
      .filter({ hasText: /^It was settled while the page was offline\./ })
      .filter({ hasText: told })
      .waitFor();
  }
});

deepTest("rows of cards that were settled while there was no connection say how, and by whom", async (t) => {
  const opened = await openSignedIn(t);
  if (opened === undefined) return;
  const { page, server, context } = opened;
  await page.getByText("● live").waitFor();
  const list = page.getByRole("list", { name: "What waits" });
  const { token } = await server.makeToken("approver", "Ann’s phone");
  const ask = ["touch denied", "touch allowed", "touch withdrawn"] as const;
  const withdrawal = new AbortController();
  const [denied, allowed] = ask.slice(0, 2).map((command) => propose(server, command, { session: command }));
  const withdrawn = fetch(`${server.url}/api/v1/exec`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    body: JSON.stringify({ command: ask[2], cwd: server.workspace, session: ask[2] }),
    signal: withdrawal.signal,
  }).catch(() => undefined);
  for (const command of ask) await list.getByRole("link", { name: command }).waitFor();
  const idOf = (command: string) =>
    until("question", async () => (await waiting(server)).find((card) => card.command === command)?.approvalId);
  const answer = async (command: string, decision: object) =>
    await server.api("POST", `/api/v1/approvals/${await idOf(command)}/decision`, decision, token);
  // Nothing is put away while somebody is in the list.
  await list.getByRole("link", { name: "touch denied" }).focus();
  await context.setOffline(true);
  await page.getByText(AWAY).waitFor();
  await answer("touch denied", { decision: "deny", reason: "not now" });
  await answer("touch allowed", { decision: "allow-once" });
  withdrawal.abort();
  await until("nothing that waits", async () => (await waiting(server)).length === 0);
  await Promise.all([denied, allowed, withdrawn]);
  await context.setOffline(false);
  await tryNow(page);
  for (const [command, told] of [
    ["touch denied", "DENIED by Ann’s phone"],
    ["touch allowed", "ALLOWED by Ann’s phone"],
    ["touch withdrawn", "WITHDRAWN"],
  ] as const) {
    const row = list.getByRole("link", { name: command });
    await row.locator(".when").filter({ hasText: told }).waitFor();
  }
  assert.equal(await list.getByText("SETTLED").count(), 0);
});

deepTest("a hub that comes back at the same address is live again, without loading the page anew", async (t) => {
  if ((await openBrowser(t)) === undefined) return;
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "countersign-page-")));
  const workspace = join(scratch, "workspace");
  mkdirSync(workspace);
  let served: Served | undefined;
  t.after(async () => {
    await served?.close();
    rmSync(scratch, { recursive: true, force: true });
  });
  const start = (port: number) => serve({ homeDir: join(scratch, "home"), cwd: workspace, port, log: silentLog });
  served = await start(0);
  const { url } = served;
  const { page } = await openAnonymous(t, url);
  await becomeDevice(page, url, { token: readFileSync(served.home.token, "utf8").trim(), name: "browser" });
  await page.goto(`${url}/#/inbox`);
  await page.getByText("● live").waitFor();
  await served.close();
  await page.getByText(AWAY).waitFor();
  served = await start(Number(new URL(url).port));
  await page.getByText("● live").waitFor();
  await page.getByText(AWAY).waitFor({ state: "detached" });
});
