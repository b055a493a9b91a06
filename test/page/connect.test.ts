import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { AGENT_CAPABILITIES } from "@countersign/protocol/access";
import { agentsHere } from "../../packages/cli/src/agents/agents-here.ts";
import { deepTest } from "../../packages/cli/test/deep-test.ts";
import { openServer } from "../../packages/hub/test/support/open-server.ts";
import { openAnonymous, openBrowser, seriousViolations, shot, signIn } from "./open-page.ts";

/** A hub whose machine has Claude Code and Codex, and a page that looks at its Connect. */
async function open(t: TestContext) {
  if ((await openBrowser(t)) === undefined) return undefined;
  const user = mkdtempSync(join(tmpdir(), "cs-connect-"));
  t.after(() => rmSync(user, { recursive: true, force: true }));
  for (const folder of [".claude", ".codex"]) mkdirSync(join(user, folder));
  const settings = join(user, ".claude", "settings.json");
  writeFileSync(settings, '{ "model": "opus" }\n');
  const machine = { userHome: user, cwd: user, env: { PATH: "" }, platform: process.platform, root: user };
  const agents = agentsHere(join(user, "home"), machine);
  const server = await openServer(t, {}, undefined, { agents });
  const opened = await signIn(t, server, { name: "Chrome on Linux", at: "#/connect" });
  await opened.page.getByRole("rowheader", { name: /Claude Code/ }).waitFor();
  return { ...opened, server, settings };
}

test("Connect at a desk", async (t) => {
  const opened = await open(t);
  if (opened === undefined) return;
  const { page, settings, complaints, server, context } = opened;

  await t.test("an agent is connected with one click, which tells the files, and is taken back", async () => {
    const row = page.getByRole("row").filter({ hasText: "Claude Code" });
    await row.getByText("found, not connected").waitFor();
    await row.getByText("countersign install claude-code").waitFor();
    await page.getByRole("button", { name: "Connect Claude Code" }).click();
    await row.getByText("asks first").waitFor();
    await page.getByText(settings).first().waitFor();
    await page.getByText("Restart Claude Code where it runs.").waitFor();
    assert.match(readFileSync(settings, "utf8"), /countersign-hook\.cjs/);
    await shot(page, "connect-connected");
    await page.getByRole("button", { name: "Disconnect Claude Code" }).click();
    await row.getByText("found, not connected").waitFor();
    assert.deepEqual(JSON.parse(readFileSync(settings, "utf8")), { model: "opus" });

    writeFileSync(settings, "{ not json");
    await page.getByRole("button", { name: "Connect Claude Code" }).click();
    await row.getByRole("alert").getByText("can't be changed").waitFor();
    assert.equal(readFileSync(settings, "utf8"), "{ not json");
    assert.deepEqual(
      complaints.filter((text) => !text.includes("409")),
      [],
    );
  });

  await t.test("a token is made, shown once, used, and revoked in two steps; by keyboard", async () => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "New token…" }).focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("Name of its holder").fill("<img src=x onerror=alert(1)>");
    await page.getByRole("radio", { name: /observer/ }).focus();
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Make it" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("It is shown this once").waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    await page.getByRole("button", { name: "Copy the token" }).click();
    await page.getByText("Copied").waitFor();
    const token = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal((await server.api("GET", "/api/v1/state", undefined, token)).status, 200);
    await page.getByRole("button", { name: "I have it" }).click();

    const row = page.getByRole("listitem").filter({ hasText: "<img src=x onerror=alert(1)>" });
    await row.getByText("observer").waitFor();
    await row.getByRole("button", { name: /^Revoke/ }).click();
    await row.getByRole("button", { name: "Keep" }).click();
    assert.equal((await server.api("GET", "/api/v1/state", undefined, token)).status, 200, "one click cuts nobody off");
    await row.getByRole("button", { name: /^Revoke/ }).click();
    await row.getByRole("button", { name: /now$/ }).click();
    await row.waitFor({ state: "detached" });
    assert.equal((await server.api("GET", "/api/v1/state", undefined, token)).status, 401);
  });
});

deepTest("the table of what can be promised is the one that docs and doctor have, for each agent", async (t) => {
  const opened = await open(t);
  if (opened === undefined) return;
  const { page, server } = opened;
  const canJail = (await server.hub.state()).warnings.every((text) => !text.includes("without a jail"));
  const rows = page.locator("table.agents tbody tr");
  const shown = await rows.evaluateAll((all) =>
    all.map((row) => [
      row.querySelector(".agent-title")?.textContent,
      ...[...row.querySelectorAll("td.promise")].map((cell) => {
        return `${cell.getAttribute("data-word")}: ${cell.querySelector(".heard")?.textContent}`;
      }),
    ]),
  );
  const yes = (is: boolean) => (is ? "yes" : "no");
  const promised = AGENT_CAPABILITIES.map(({ title, decided, jailed, rewritable, outcomeRecorded }) => [
    title,
    `Decided: ${yes(decided)}`,
    `Jailed: ${yes(jailed && canJail)}`,
    `Rewritable: ${yes(rewritable)}`,
    `Recorded: ${yes(outcomeRecorded)}`,
  ]);
  assert.deepEqual(shown.sort(), promised.sort());
  assert.deepEqual(await page.locator("table.agents thead th").allInnerTexts(), [
    "Agent",
    "Decided",
    "Jailed",
    "Rewritable",
    "Recorded",
    "Connect",
  ]);
  for (const { title, limits } of AGENT_CAPABILITIES) {
    const known = rows.filter({ hasText: title }).locator("details li");
    assert.deepEqual(
      await known.allTextContents(),
      limits.map((limit) => limit.replaceAll("`", "")),
      title,
    );
  }
});

deepTest("an observer's token lets one look at the agents, and at no token", async (t) => {
  const opened = await open(t);
  if (opened === undefined) return;
  const { server } = opened;
  const { token } = await server.makeToken("observer", "auditor");
  const { page } = await openAnonymous(t, server.url);
  await page.goto(`${server.url}/#/connect`);
  await page.getByText("Use a token instead").click();
  await page.getByLabel("Token", { exact: true }).fill(token);
  await page.keyboard.press("Enter");
  await page.getByText("● live").waitFor();
  await page.goto(`${server.url}/#/connect`);
  await page.getByRole("rowheader", { name: /Claude Code/ }).waitFor();
  await page.getByText("Only an approver sees this.").waitFor();
  await page.getByRole("button", { name: "Connect Claude Code" }).click();
  await page.getByRole("row").filter({ hasText: "Claude Code" }).getByRole("alert").waitFor();
  for (const path of ["tokens", "devices", "addresses"])
    assert.equal((await server.api("GET", `/api/v1/${path}`, undefined, token)).status, 403);
});

deepTest("Connect stands at a desk, in the dark and on a phone, and axe finds nothing serious", async (t) => {
  const first = await open(t);
  if (first === undefined) return;
  await first.server.makeToken("agent", "nightly build");
  for (const look of [{}, { dark: true }, { phone: true }]) {
    const { page } = await signIn(t, first.server, { name: "Chrome on Linux", at: "#/connect", ...look });
    await page.getByText("nightly build").waitFor();
    await page.getByText("What to know").first().click();
    assert.deepEqual(await seriousViolations(page), []);
    const name = `connect${look.phone ? "-phone" : ""}${look.dark ? "-dark" : ""}`;
    await shot(page, name);
    await page.getByRole("heading", { name: "Tokens" }).scrollIntoViewIfNeeded();
    await shot(page, `${name}-below`);
    await page.getByRole("button", { name: "New token…" }).click();
    await page.getByLabel("Name of its holder").waitFor();
    await shot(page, `${name}-token`);
  }
});
