import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { LOCAL_AGENT, silentLog } from "@countersign/core/base";
import { serve } from "@countersign/hub";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The person at the guide's client: waits for a card and allows it. */
const PERSON = `
while (shown.size < 1) await new Promise((resolve) => client.onMessage(resolve));
const [card] = shown.values();
console.log(JSON.stringify([card.command, await respondToApproval(card.approvalId, "allow-once"), await respondToApproval(card.approvalId, "deny")]));
client.disconnect();
`;

test("the SDK's guide answers a real hub", async (t) => {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "countersign-guide-")));
  const workspace = join(scratch, "workspace");
  mkdirSync(workspace);
  const served = await serve({ homeDir: join(scratch, "home"), cwd: workspace, port: 0, log: silentLog });
  t.after(async () => {
    await served.close();
    rmSync(scratch, { recursive: true, force: true });
  });
  const readme = readFileSync(join(root, "packages/sdk/README.md"), "utf8");
  const block = /^```ts\n([\s\S]*?)^```/m.exec(readme)?.[1] ?? "";
  const token = readFileSync(served.home.token, "utf8").trim();
  const url = `${served.url.replace("http:", "ws:")}/ws`;
  const guide = block.replace("ws://127.0.0.1:18789/ws", url).replace("<an approver's token>", token);
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-"], { cwd: root, timeout: 20_000 });
  child.stdin.end(guide + PERSON);
  const outcome = served.hub.proposals.propose({ command: "touch made", cwd: workspace }, LOCAL_AGENT);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  assert.equal(stderr, "");
  assert.deepEqual(JSON.parse(stdout), ["touch made", true, false]);
  assert.deepEqual([(await outcome).kind, (await outcome).by], ["exited", "person"]);
});
