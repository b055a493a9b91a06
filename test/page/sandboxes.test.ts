import assert from "node:assert/strict";
import { deepTest } from "../../packages/cli/test/deep-test.ts";
import { emitFrames } from "../../packages/cli/test/emit-frames.ts";
import { flowFrame, gapFrame } from "../../packages/hub/test/support/egress-frames.ts";
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
  await phone.page.getByText("Reported at").first().waitFor();
  await shot(phone.page, "sandbox-phone-dark");
  assert.deepEqual(await seriousViolations(phone.page), []);
  assert.equal(await phone.page.evaluate(() => document.documentElement.scrollWidth), 390);
  await phone.page.getByRole("link", { name: "‹ Sandboxes" }).press("Enter");
  await phone.page.getByRole("link", { name: /box-1/ }).waitFor();
  assert.deepEqual(phone.complaints, []);
});

const at = (second: number) => new Date(Date.UTC(2026, 0, 2, 3, 4) + second * 1_000).toISOString();

/** A command with a flow of its own, one that nothing explains, one that is blocked, one that is told twice, and a while without an observer. */
function bothSides(): object[] {
  const box = "box-2";
  const route = "POST /command";
  const command = {
    ...{ channel: "opensandbox_execd", session_id: box, tool: { name: route, server: "execd" }, ts_emit: at(20) },
    ...{ action_type: "system.command.execute", input: { command: "curl example.org" }, output: { exit_code: 0 } },
    binding: { sandbox_id: box, endpoint: "/command", route, placement: "execd", started_at: at(0) },
  };
  const flow = (from: number, set: object, more: object = {}) =>
    flowFrame(box, { started_at: at(from), ended_at: at(from + 2), ...set }, { ts_emit: at(from + 3), ...more });
  const long = { dst_port: 8_443, dst_addr: "fd00::2" };
  return [
    flow(5, { name: "example.org" }),
    command,
    flow(120, { bytes_out: 7_340_032, dst_addr: "203.0.113.9", dst_port: 4_444, name: "drop.example.net" }),
    flow(
      130,
      { verdict: "blocked", bytes_out: 60, dst_addr: "169.254.169.254", dst_port: 80 },
      { enforcement: "enforced" },
    ),
    flow(10, { ...long, bytes_out: 10, part: "interim", ended_at: undefined }),
    flow(10, { ...long, bytes_out: 99 }),
    gapFrame(box, { from: at(200), to: at(500) }, { ts_emit: at(500), drop_count: 2 }),
  ];
}

deepTest("flows stand among the calls that explain them, and those that none explains are marked", async (t) => {
  const config = { receipts: { emitters: ["relay", "egress"].map((role) => ({ uid: UID, role })) } };
  const opened = await openSignedIn(t, { config, at: "#/receipts/sandboxes" });
  if (opened === undefined) return;
  const { page, server, complaints } = opened;
  await emitFrames({ home: server.home.dir }, ...bothSides());
  await page.reload();
  const row = page.getByRole("link", {
    name: /box-2.*8 receipts · 4 flows seen from outside, 1 blocked.*2 frames of the observer’s/s,
  });
  await row.waitFor();
  await row.click();
  await page.getByText(/Unexplained: no call recorded inside explains 2 flows\./).waitFor();
  const words = await page.locator("summary.step-row .receipt-words").allInnerTexts();
  assert.deepEqual(
    words.map((text) => text.split("\n")[0]),
    [
      "Ran a command: success",
      "Sent 1,234 bytes to 10.0.0.2:443 (tcp), example.org",
      "Sent 99 bytes to [fd00::2]:8443 (tcp)",
      "Unexplained. Sent 7,340,032 bytes to 203.0.113.9:4444 (tcp), drop.example.net",
      "Unexplained. Blocked: 169.254.169.254:80 (tcp)",
      "Nobody watched what left the sandbox for 5 min: no observer was running",
      "2 frames of the observer's never came: flows were seen here that aren't on record",
    ],
  );
  await page
    .getByText(/no call recorded inside explains this so far/)
    .first()
    .waitFor();
  await page.getByText("Sent 99 bytes").click();
  await page.getByText("Ended").first().waitFor();
  await shot(page, "sandbox-egress");
  assert.deepEqual(await seriousViolations(page), []);
  await page.getByText("Nobody watched what left").scrollIntoViewIfNeeded();
  await shot(page, "sandbox-egress-marked");
  assert.deepEqual(complaints, []);
  for (const dark of [false, true]) {
    const name = `phone-${dark ? "dark" : "light"}`;
    const phone = await signIn(t, server, { phone: true, dark, name, at: "#/receipts/sandbox/box-2" });
    await phone.page.getByText("Blocked: 169.254.169.254:80 (tcp)").waitFor();
    await phone.page.getByText("Nobody watched what left").scrollIntoViewIfNeeded();
    await shot(phone.page, `sandbox-egress-${name}`);
    assert.deepEqual(await seriousViolations(phone.page), []);
    assert.equal(await phone.page.evaluate(() => document.documentElement.scrollWidth), 390);
    assert.deepEqual(phone.complaints, []);
  }
});
