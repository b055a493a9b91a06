import assert from "node:assert/strict";
import { deepTest } from "../../packages/cli/test/deep-test.ts";
import { emitFrames } from "../../packages/cli/test/emit-frames.ts";
import { openSignedIn, seriousViolations, shot, signIn } from "./open-page.ts";

const UID = process.getuid?.() ?? 0;
const HOSTILE = "<b onmouseover=alert(1)>x</b>\u202e\u001b[31m";

function said(route: string, action_type: string, more: object = {}): object {
  return {
    ...{ channel: "opensandbox_execd", session_id: "box-1", tool: { name: route, server: "execd" }, action_type },
    binding: { sandbox_id: "box-1", endpoint: "/command", route, placement: "execd" },
    coverage: { covers: ["command"], placement: "execd", limits: [`Code can go round the proxy. ${HOSTILE}`] },
    ...more,
  };
}

deepTest("a sandbox's story is told in order, with its gaps; on a phone and in the dark, by keyboard", async (t) => {
  const config = { receipts: { emitters: [{ uid: UID, role: "relay" }] } };
  const opened = await openSignedIn(t, { config, at: "#/receipts/sandboxes" });
  if (opened === undefined) return;
  const { page, server, complaints } = opened;
  await page.getByText("No sandbox is on record yet.").waitFor();
  await emitFrames(
    { home: server.home.dir },
    said("POST /command", "system.command.execute", { input: { command: "ls" }, output: { exit_code: 0 } }),
    said("POST /files/upload", "filesystem.file.create", { input: { path: "/work/a" }, output: { bytes_written: 3 } }),
    said(HOSTILE, "system.command.execute", { error: HOSTILE, input: { command: "false" } }),
    said("POST /pty", "system.pty.open", { correlation_id: "one" }),
    said("POST /pty", "system.pty.open", { correlation_id: "two" }),
    said("DELETE /pty/:id", "system.pty.close", { correlation_id: "two", drop_count: 2 }),
    ...Array.from({ length: 60 }, () => said("GET /files/download", "filesystem.file.read")),
  );
  await page.reload();
  const row = page.getByRole("link", { name: /box-1.*67 receipts.*2 frames never came.*1 terminal without an end/s });
  await row.waitFor();
  await row.click();
  await page.getByRole("heading", { name: "Sandbox box-1" }).waitFor();
  await page.getByText("nothing says that it was closed").waitFor();
  await page.getByText(/2 frames never came: something happened/).waitFor();
  assert.equal(await page.locator(".chain b, .record b").count(), 0);
  await page.getByText("Ran a command: success").first().click();
  await page.getByText("Went in").first().waitFor();
  await shot(page, "sandbox");
  assert.deepEqual(await seriousViolations(page), []);
  await page.getByRole("button", { name: "Later" }).click();
  await page.getByText("51–67 of 67").waitFor();
  await page.getByRole("button", { name: "First" }).click();
  await page.getByText("1–50 of 67").waitFor();
  await page.getByText("Ran a command: success").first().click();
  await page.getByRole("link", { name: /on its chain/ }).click();
  await page.getByRole("link", { name: "What happened in this sandbox, in order" }).click();
  await page.getByRole("heading", { name: "Sandbox box-1" }).waitFor();
  assert.deepEqual(complaints, []);

  const phone = await signIn(t, server, { phone: true, dark: true, name: "phone", at: "#/receipts/sandboxes" });
  await shot(phone.page, "sandboxes-phone-dark");
  await phone.page.getByRole("link", { name: /box-1/ }).press("Enter");
  await phone.page.locator("summary.step-row").nth(4).press("Enter");
  await phone.page.getByText("Told at").first().waitFor();
  await shot(phone.page, "sandbox-phone-dark");
  assert.deepEqual(await seriousViolations(phone.page), []);
  assert.equal(await phone.page.evaluate(() => document.documentElement.scrollWidth), 390);
  await phone.page.getByRole("link", { name: "‹ Sandboxes" }).press("Enter");
  await phone.page.getByRole("link", { name: /box-1/ }).waitFor();
  assert.deepEqual(phone.complaints, []);
});
