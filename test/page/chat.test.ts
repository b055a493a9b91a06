import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { deepTest } from "../../packages/cli/test/deep-test.ts";
import { type Answer, beginStream, openModelServer } from "../../packages/hub/test/support/model-server.ts";
import { writeProfiles } from "../../packages/hub/test/support/open-server.ts";
import { scratch, startServing } from "../../packages/hub/test/support/serve-fixture.ts";
import { armed } from "./asking.ts";
import { cutAtWill } from "./cut-at-will.ts";
import { openBrowser, openSignedIn, PATIENT_PROFILES, seriousViolations, shot, signIn } from "./open-page.ts";
import { message, say, sendTyped } from "./talking.ts";

const said = (page: Page) => page.getByRole("log");
/** Nothing more comes by itself. */
const atRest = (page: Page) => page.locator(".chat-busy").waitFor({ state: "detached" });

/** A hub whose assistant is a model on this machine, which gives these answers. */
async function openWithModel(t: TestContext, ...answers: Answer[]) {
  if ((await openBrowser(t)) === undefined) return undefined;
  const { baseURL } = await openModelServer(t, "openai", ...answers);
  const at = scratch(t);
  mkdirSync(at.homeDir, { recursive: true, mode: 0o700 });
  const config = {
    agents: { assistant: { model: "local/m" } },
    providers: { local: { kind: "openai-compatible", baseURL } },
  };
  writeFileSync(join(at.homeDir, "config.json"), JSON.stringify(config), { mode: 0o600 });
  writeProfiles(at.homeDir, PATIENT_PROFILES);
  const { served, call } = await startServing(t, { at });
  const makeToken = async (role: string, name = role) => {
    return (await call("/api/v1/tokens", { method: "POST", body: { role, name } })).body;
  };
  return { server: { url: served.url, makeToken }, workspace: at.workspace };
}

test("without a model the demo says so; a command is asked about, allowed in place, and its result shown", async (t) => {
  const opened = await openSignedIn(t, { at: "#/chat" });
  if (opened === undefined) return;
  const { page, complaints } = opened;
  await page.getByText("No model is configured.").waitFor();
  await say(page, "Run: echo '<b>made</b> here'");
  await page.getByRole("button", { name: "Stop" }).waitFor();
  await page.getByRole("article", { name: "Approval" }).waitFor();
  await armed(page);
  await page.getByRole("button", { name: "Allow once" }).click();
  await said(page).getByText("exit code 0").waitFor();
  await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
  assert.equal(await said(page).locator("b").count(), 0);
  await said(page).locator(".said").getByText("<b>made</b> here").waitFor();
  assert.match((await said(page).getByRole("link", { name: "story" }).getAttribute("href")) ?? "", /^#\/story\/sha256/);
  await page.getByRole("link", { name: /Run: echo/ }).waitFor();
  assert.equal(await message(page).inputValue(), "");
  assert.deepEqual(complaints, []);
});

test("what a model says is streamed as text, also over a lost connection; what was typed stays", async (t) => {
  const goOn = Promise.withResolvers<void>();
  const hub = await openWithModel(t, async (response, frames) => {
    beginStream(response);
    const [first, second, ...rest] = frames({
      text: ["<img src=x onerror=alert(1)> \u202e one\n", "```sh\nls -la\n```\ntwo"],
    });
    response.write(`${first}${second}`);
    await goOn.promise;
    for (const frame of rest) response.write(frame);
    response.end();
  });
  if (hub === undefined) return;
  const { page, complaints } = await signIn(t, hub.server, { at: "#/chat/new" });
  const connections = await cutAtWill(page);
  await message(page).fill("hello");
  await page.getByRole("button", { name: "Send" }).click();
  await said(page).getByText("<img src=x onerror=alert(1)>").waitFor();
  assert.equal(await said(page).locator(".unseen").textContent(), "U+202E");
  await message(page).fill("the next thing");
  connections.cut();
  await page.getByText("The hub is unreachable.").waitFor();
  goOn.resolve();
  await page.getByRole("button", { name: "Send", disabled: true }).waitFor();
  await connections.mend();
  await said(page).getByText("two").waitFor();
  assert.equal(await said(page).locator("pre").textContent(), "ls -la");
  assert.equal(await said(page).locator("img").count(), 0);
  assert.equal(await said(page).locator(".said").count(), 1);
  assert.equal(await message(page).inputValue(), "the next thing");
  // The model's second answer is the server's last word. Until the first is over, nothing is sent.
  await sendTyped(page);
  await said(page).getByText("Nothing more.").waitFor();
  await atRest(page);
  const before = await said(page).innerText();
  await page.reload();
  await said(page).getByText("Nothing more.").waitFor();
  await atRest(page);
  assert.equal(await said(page).innerText(), before);
  assert.deepEqual(
    complaints.filter((each) => !each.includes("WebSocket")),
    [],
  );
});

deepTest(
  "stopping ends the answer and what it asked; a session that is opened in its middle has its beginning",
  async (t) => {
    const call = { id: "c1", name: "bash", input: [JSON.stringify({ command: "touch made" })] };
    const hub = await openWithModel(t, { text: ["I make it. "], calls: [call] });
    if (hub === undefined) return;
    const { page } = await signIn(t, hub.server, { at: "#/chat/new" });
    await say(page, "make it");
    await page.getByRole("button", { name: "Allow once" }).waitFor();
    const other = await signIn(t, hub.server, { at: `#${new URL(page.url()).hash.slice(1)}`, name: "other" });
    await said(other.page).getByText("I make it.").waitFor();
    await said(other.page).getByText("touch made").waitFor();
    await other.page.getByRole("button", { name: "Stop" }).press("Enter");
    for (const at of [page, other.page]) {
      await said(at).getByText("Stopped.").waitFor();
      assert.equal(await said(at).locator(".call-card").count(), 1);
      await at.getByRole("button", { name: "Allow once" }).waitFor({ state: "detached" });
    }
  },
);

deepTest("a model that refuses is told for what it is, and what was typed can be sent again", async (t) => {
  const hub = await openWithModel(t, (response) => {
    response.writeHead(401, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: "wrong key <b>x</b>" } }));
  });
  if (hub === undefined) return;
  const { page } = await signIn(t, hub.server, { at: "#/chat/new" });
  await say(page, "hello");
  await said(page).getByText("MODEL_REFUSED").waitFor();
  assert.equal(await said(page).locator("b").count(), 0);
  await say(page, "again");
  await said(page).getByText("Nothing more.").waitFor();
});

deepTest("chat at a desk, on a phone and in the dark; axe finds nothing serious", async (t) => {
  const call = { id: "c1", name: "bash", input: [JSON.stringify({ command: "git log --oneline -5 && npm test" })] };
  const hub = await openWithModel(
    t,
    {
      text: [
        "The session is kept in memory only, so a restart loses it. Two ways:\n\n```ts\nconst kept = await store.session(id);\nif (kept === null) throw new Expired(id);\n```\n\nI look at what changed last, and run the tests.",
      ],
      calls: [call],
    },
    { text: ["Done."] },
  );
  if (hub === undefined) return;
  const { page } = await signIn(t, hub.server, { at: "#/chat/new" });
  await message(page).waitFor();
  assert.deepEqual(await seriousViolations(page), []);
  await shot(page, "chat-new");
  await say(page, "Why does the login test fail after a restart?");
  await page.getByRole("button", { name: "Allow once" }).waitFor();
  await message(page).fill("And then");
  await shot(page, "chat");
  await page.emulateMedia({ colorScheme: "dark" });
  await shot(page, "chat-dark");
  await page.setViewportSize({ width: 390, height: 844 });
  assert.deepEqual(await seriousViolations(page), []);
  await shot(page, "chat-phone-dark");
  await page.emulateMedia({ colorScheme: "light" });
  await page.getByRole("button", { name: "Stop" }).click();
  await said(page).getByText("Stopped.").waitFor();
  await shot(page, "chat-phone");
  await page.getByRole("link", { name: "‹ Chats" }).click();
  await page.getByRole("link", { name: /Why does the login/ }).waitFor();
  await shot(page, "chats-phone");
});
