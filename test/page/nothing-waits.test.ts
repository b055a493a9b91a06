import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentsHere } from "../../packages/cli/src/agents/agents-here.ts";
import { deepTest } from "../../packages/cli/test/deep-test.ts";
import { openServer } from "../../packages/hub/test/support/open-server.ts";
import { openBrowser, openSignedIn, seriousViolations, shot, signIn } from "./open-page.ts";
import { agentOf, answered } from "./past-fixture.ts";

deepTest("while nothing waits, the inbox says what was last, who decided it and when", async (t) => {
  const opened = await openSignedIn(t);
  if (opened === undefined) return;
  const { page, server, complaints } = opened;
  const claude = await agentOf(server, "claude-code");
  const last = page.getByText(/^Last: /);
  await page.getByText("Nothing waits").first().waitFor();
  assert.equal(await last.count(), 0, "nothing ever happened");

  await claude.propose("ls src");
  await page.getByText(/^Last: ls src, allowed by the policy, (now|\d+ min ago)\.$/).waitFor();
  await answered(server, claude.propose("rm -rf dist"), { decision: "deny", reason: "use npm run clean" });
  await page.getByText(/^Last: rm -rf dist, denied by root, (now|\d+ min ago)\.$/).waitFor();
  await answered(server, claude.propose("touch made"), { decision: "allow-once" });
  await page.getByText(/^Last: touch made, allowed by root, (now|\d+ min ago)\.$/).waitFor();
  await shot(page, "inbox-last");

  await page.evaluate(() => {
    const before = Date.now.bind(Date);
    Date.now = () => before() + 120_000;
  });
  await page.getByText(/^Last: touch made, allowed by root, [2-9] min ago\.$/).waitFor();
  await last.getByRole("link", { name: "touch made" }).click();
  await page.getByRole("article", { name: "Story" }).getByRole("region", { name: "Command" }).waitFor();
  assert.deepEqual(complaints, []);
});

deepTest(
  "before any agent asks, the inbox names those of this machine with the command that connects each",
  async (t) => {
    if ((await openBrowser(t)) === undefined) return;
    const user = mkdtempSync(join(tmpdir(), "cs-found-"));
    t.after(() => rmSync(user, { recursive: true, force: true }));
    for (const folder of [".claude", ".codex"]) mkdirSync(join(user, folder));
    const machine = { userHome: user, cwd: user, env: { PATH: "" }, platform: process.platform, root: user };
    const server = await openServer(t, {}, undefined, { agents: agentsHere(join(user, "home"), machine) });
    const { page, context, complaints } = await signIn(t, server);
    await page.getByText("Nothing waits, and no agent asks yet.").waitFor();
    await page.getByText("Found on this machine:").waitFor();
    const found = page.locator(".found-agents").getByRole("listitem");
    assert.deepEqual(
      (await found.allInnerTexts()).map((text) => text.split("\n").filter(Boolean).slice(0, 2)),
      [
        ["Claude Code", "countersign install claude-code"],
        ["Codex", "countersign install codex"],
      ],
    );
    await page.getByRole("button", { name: "Run demo" }).waitFor();
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await found.first().getByRole("button").click();
    await found.first().getByText("Copied").waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "countersign install claude-code");
    await shot(page, "inbox-found");
    assert.deepEqual(await seriousViolations(page), []);

    // Connected with one click, it isn't offered any more.
    await page.getByRole("link", { name: "Connect an agent" }).click();
    const row = page.getByRole("row").filter({ hasText: "Claude Code" });
    await row.getByText("found, not connected").waitFor();
    await page.getByRole("button", { name: "Connect Claude Code" }).click();
    await row.getByText("asks first").waitFor();
    await page.goto("#/inbox");
    await page.getByText("Connected: Claude Code.").waitFor();
    assert.deepEqual(
      (await found.allInnerTexts()).map((text) => text.split("\n")[0]),
      ["Codex"],
    );
    assert.deepEqual(complaints, []);
  },
);
