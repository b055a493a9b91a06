import assert from "node:assert/strict";
import { test } from "node:test";
import { armed } from "./asking.ts";
import { openSignedIn, signIn } from "./open-page.ts";
import { say } from "./talking.ts";
import { until } from "./until.ts";

test("where the hub keeps too few events, the transcript has what is missing, and nothing twice", async (t) => {
  const opened = await openSignedIn(t, { at: "#/chat/new", limits: { chatEvents: 1 } });
  if (opened === undefined) return;
  const { page, server } = opened;
  await say(page, "Run: echo made");
  await page.getByRole("button", { name: "Allow once" }).waitFor();
  const late = await signIn(t, server, { at: new URL(page.url()).hash, name: "late" });
  const said = late.page.getByRole("log");
  await said.getByText("echo made", { exact: true }).waitFor();
  await late.page.getByRole("button", { name: "Allow once" }).waitFor();
  await armed(late.page);
  await late.page.getByRole("button", { name: "Allow once" }).click();
  for (const at of [late.page, page]) {
    await at.getByRole("log").locator(".said").getByText("made").waitFor();
    await at.getByRole("log").getByText("exit code 0").waitFor();
    await at.locator(".chat-busy").waitFor({ state: "detached" });
  }
  // When its run is over, what was missing is read from the transcript.
  const all = await page.getByRole("log").innerText();
  await until("same text", async () => (await said.innerText()) === all);
  assert.equal(await said.locator(".chat-item").count(), await page.getByRole("log").locator(".chat-item").count());
});
