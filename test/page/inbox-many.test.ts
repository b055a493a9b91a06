import assert from "node:assert/strict";
import { timeAtOnce } from "../../bench/rounds.ts";
import { deepTest } from "../../packages/cli/test/deep-test.ts";
import { openSignedIn } from "./open-page.ts";

const WAITING = 5_000;
/** A session may have no more than 64. */
const EACH = 50;
const SCREENS = 100;
const MOST_NODES = 1_000;

deepTest("of 5,000 that wait the document holds what is seen, from the first to the last", async (t) => {
  const opened = await openSignedIn(t);
  if (opened === undefined) return;
  const { page, server } = opened;
  const { url, token, workspace: cwd } = server;
  // Somebody who sees each of them come would only make it slower.
  await page.goto("about:blank");
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    prefer: "respond-async",
  };
  let next = 0;
  await timeAtOnce(WAITING, 16, async () => {
    const n = next++;
    const body = JSON.stringify({ command: `make target-${n}`, cwd, session: `s${Math.floor(n / EACH)}` });
    const response = await fetch(`${url}/api/v1/exec`, { method: "POST", headers, body });
    assert.ok(response.ok, await response.text());
  });
  await page.goto(`${url}/#/inbox`);
  await page.getByText("5,000 waiting ·").waitFor({ timeout: 120_000 });
  const { most, seen } = await page.evaluate(async (screens) => {
    const list = document.querySelector(".virtual-list");
    if (list === null) throw new Error("there is no list");
    const rows = new Set<string>();
    let count = 0;
    for (let n = 0; n <= screens; n += 1) {
      list.scrollTop = ((list.scrollHeight - list.clientHeight) / screens) * n;
      // The frame that hears of it, and the one that has drawn it.
      for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame);
      count = Math.max(count, document.querySelectorAll("*").length);
      for (const row of document.querySelectorAll("[aria-posinset]")) rows.add(row.getAttribute("aria-posinset") ?? "");
    }
    return { most: count, seen: { first: rows.has("1"), last: rows.has("5000"), many: rows.size } };
  }, SCREENS);
  t.diagnostic(`${most} nodes at the most`);
  assert.ok(most <= MOST_NODES, `${most} nodes`);
  assert.deepEqual([seen.first, seen.last], [true, true]);
  assert.ok(seen.many > SCREENS * 6, `${seen.many} rows were drawn in passing`);
});
