import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { deepTest } from "../../packages/cli/test/deep-test.ts";
import { shortPath } from "../../packages/web/src/text/short-names.ts";
import { denyAll, propose } from "./asking.ts";
import { openSignedIn, shot } from "./open-page.ts";

deepTest("a row elides each line once, in the middle: its end is on screen, however narrow that is", async (t) => {
  const opened = await openSignedIn(t, { phone: true });
  if (opened === undefined) return;
  const { page, server } = opened;
  const deep = join(server.workspace, "a-directory-with-a-long-name", "another-one-inside", "web");
  mkdirSync(deep, { recursive: true });
  const long = `touch ${Array.from({ length: 12 }, (_, n) => `file-${n}`).join(" ")} last`;
  const outcomes = [
    propose(server, `${long}\ntouch b\ntouch c`, { cwd: deep, session: "a session with a name" }),
    propose(server, "touch here", { cwd: homedir(), session: "home" }),
  ];
  await page.getByText("2 waiting ·").waitFor();
  const row = page.locator(".inbox-row").filter({ hasText: "file-0" });
  const wide = await page.evaluate(() => innerWidth);
  for (const [part, end] of [
    [".what", " last … +2 lines"],
    [".why", ""],
    [".who", "/web"],
  ] as const) {
    const line = row.locator(`${part} .clipped-line`);
    const tail = line.locator("> span").last();
    assert.ok((await tail.textContent())?.endsWith(end), part);
    const box = await tail.boundingBox();
    assert.ok(box !== null && box.width > 0 && box.x + box.width <= wide, `${part} ends on screen`);
    // The browser draws the one mark where there isn't room; none was put into the text.
    assert.ok(!(await line.locator("> span").first().textContent())?.includes("…"), part);
  }
  const { body } = await server.api("GET", "/api/v1/approvals");
  const agent = (body as { agentName: string }[])[0]?.agentName;
  assert.equal(await row.locator(".who").textContent(), `${agent} · a session with a name · ${shortPath(deep)}`);
  const home = page.locator(".inbox-row").filter({ hasText: "touch here" });
  assert.equal(await home.locator(".who").textContent(), `${agent} · home · ${shortPath(homedir())}`);
  await shot(page, "inbox-rows-phone");
  await denyAll(server);
  await Promise.all(outcomes);
});
