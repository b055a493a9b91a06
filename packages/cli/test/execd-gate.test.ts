import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { SandboxStory } from "@countersign/protocol/records";
import { openCa } from "@countersign/sandbox";
import { RelayPlace } from "./relay-fixture.ts";

test("a proxy with --gate asks the hub, passes what is allowed, and says on each receipt how far that holds", async (t) => {
  const at = await RelayPlace.make(t);
  const { place } = at;
  await place.serve();
  await at.relay();
  const execd = place.start(["execd", "serve", "--json", "--listen", "127.0.0.1:0"]);
  const { url: execdUrl } = JSON.parse(await execd.firstLine()) as { url: string };
  const bundle = join(place.workspace, "box.pem");
  await (await openCa(at.ca)).issueForSandbox("box", { out: bundle, validMs: 600_000, renew: false }, Date.now());
  const { url: hub } = await place.hub();
  const made = await place.run("token", "create", "--role", "agent", "--name", "box", "--json");
  const tokenFile = join(place.workspace, "token");
  writeFileSync(tokenFile, (JSON.parse(made.stdout) as { token: string }).token, { mode: 0o600 });
  const home = join(place.workspace, "inside");
  mkdirSync(home);
  const args = [
    ...["execd", "proxy", "--json", "--listen", "127.0.0.1:0", "--execd", execdUrl, "--relay", at.url],
    ...["--bundle", bundle, "--home", home, "--sandbox-id", "box"],
  ];
  const unasked = await place.run(...args, "--gate", hub);
  assert.deepEqual([unasked.code, /--gate needs --gate-token-file/.test(unasked.stderr)], [2, true]);
  const far = await place.run(...args, "--gate", "http://192.0.2.1:18789", "--gate-token-file", tokenFile);
  assert.equal(far.code, 2, far.stderr);

  const proxy = place.start([...args, "--gate", hub, "--gate-token-file", tokenFile]);
  const { url, enforcement } = JSON.parse(await proxy.firstLine()) as { url: string; enforcement: string };
  assert.equal(enforcement, "advisory");
  const run = async (command: string) => {
    const answer = await fetch(`${url}/command`, { method: "POST", body: JSON.stringify({ command }) });
    return { status: answer.status, text: await answer.text() };
  };
  assert.match((await run("echo hi")).text, /"hi"/);
  const asked = run(`rm ${tokenFile}`);
  await place.waiting(1);
  const [{ approvalId }] = JSON.parse((await place.run("pending", "--json")).stdout);
  await place.run("deny", approvalId, "--reason", "not that");
  const { status, text } = await asked;
  assert.deepEqual([status, JSON.parse(text).code], [403, "DENIED"]);
  assert.match(JSON.parse(text).message, /not that/);
  await proxy.stop("SIGTERM");

  const { stdout } = await place.run("receipts", "sandbox", "box", "--json");
  const { steps } = JSON.parse(stdout) as SandboxStory;
  assert.deepEqual(
    steps.map((step) => step.kind === "action" && [step.route, step.status, step.denied, step.enforcement]),
    [
      ["POST /command", "success", false, "advisory"],
      ["POST /command", "failure", true, "advisory"],
    ],
  );
  const verified = await place.run("receipts", "verify");
  assert.equal(verified.code, 0, verified.stdout);
});
