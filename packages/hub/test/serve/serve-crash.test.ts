import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { checkLedger, readLedger, readReceipts } from "@countersign/store";
import { childScript } from "../programs/child-script.ts";
import { type Call, eventually, type Scratch, scratch, send, sleeper, TOKEN } from "../support/serve-fixture.ts";

const ASYNC = { prefer: "respond-async" };

interface Child {
  readonly process: ChildProcess;
  call(path: string, call?: Call): ReturnType<typeof send>;
}

async function startChild(t: TestContext, place: Scratch): Promise<Child> {
  const script = childScript("serve");
  const child = spawn(process.execPath, [script, place.homeDir, place.workspace], {
    env: { ...process.env, COUNTERSIGN_TOKEN: TOKEN },
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  const [line] = await once(createInterface(child.stdout), "line");
  const { url, message } = JSON.parse(line);
  assert.ok(url, message);
  return { process: child, call: (path, call = {}) => send(new URL(path, url), call) };
}

async function kill({ process: child }: Child): Promise<void> {
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}

test("a hub that is killed loses nothing and runs nothing twice", async (t) => {
  const place = scratch(t, { ask: "always", timeoutMs: 600_000 });
  const marker = join(place.workspace, "marker");
  const lines = (path: string) => (existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : []);
  const body = (proposalId: string, command: string) => ({
    method: "POST",
    body: { command, proposalId },
    headers: ASYNC,
  });
  const decide = (child: Child, id: string, decision: string) =>
    child.call(`/api/v1/approvals/${id}/decision`, { method: "POST", body: { decision } });

  const { command, pids } = sleeper();
  const first = await startChild(t, place);
  const runs = await first.call("/api/v1/exec", body("runs", `echo run >> ${marker}; exec ${command}`));
  const waits = await first.call("/api/v1/exec", body("waits", `echo waited >> ${marker}.waited`));
  await decide(first, runs.body.approvalId, "allow-once");
  await eventually(() => pids().length > 0);
  await kill(first);
  // A jail dies with its hub. Without one a run goes on: the record will say that its end isn't known.
  const orphans = existsSync("/usr/bin/bwrap") ? await eventually(() => pids().length === 0 && []) : pids();
  t.after(() => {
    for (const pid of orphans) process.kill(pid, "SIGKILL");
  });

  const second = await startChild(t, place);
  const interrupted = (await second.call("/api/v1/exec/runs")).body;
  assert.deepEqual(
    [interrupted.state, interrupted.outcome.kind, interrupted.outcome.exitCode],
    ["ended", "interrupted", undefined],
  );
  const again = await second.call("/api/v1/exec", body("runs", `echo run >> ${marker}; exec ${command}`));
  assert.deepEqual([again.status, again.body], [200, interrupted.outcome]);
  assert.deepEqual((await second.call("/api/v1/exec/waits")).body, {
    proposalId: "waits",
    state: "pending",
    approvalId: waits.body.approvalId,
  });
  const cards = (await second.call("/api/v1/approvals")).body;
  assert.deepEqual(
    cards.map((card: { approvalId: string }) => card.approvalId),
    [waits.body.approvalId],
  );
  assert.deepEqual((await decide(second, waits.body.approvalId, "allow-once")).body, { ok: true });
  const done = await second.call("/api/v1/exec/waits", { headers: { prefer: "wait=60" } });
  assert.deepEqual([done.body.state, done.body.outcome.kind], ["ended", "exited"]);
  assert.equal((await decide(second, runs.body.approvalId, "allow-once")).body.error.code, "NOT_FOUND");
  await kill(second);

  const third = await startChild(t, place);
  const stored = await third.call("/api/v1/exec", body("waits", `echo waited >> ${marker}.waited`));
  assert.deepEqual(stored.body, done.body.outcome);
  assert.deepEqual([lines(marker), lines(`${marker}.waited`)], [["run"], ["waited"]]);
  await kill(third);
  const database = join(place.homeDir, "countersign.db");
  const check = await checkLedger(readReceipts(database));
  assert.ok(check.whole, JSON.stringify(check));
  const types: string[] = [];
  for await (const entry of readLedger(database)) if (entry.proposalKey) types.push(entry.type);
  assert.deepEqual(types, ["decided", "started", "ended", "decided", "started", "ended"]);
});

test("the next start finishes the look at what the runs of a killed hub left", async (t) => {
  const place = scratch(t, { ask: "always", timeoutMs: 600_000 });
  const put = (name: string, text: string) => {
    mkdirSync(dirname(join(place.workspace, name)), { recursive: true });
    writeFileSync(join(place.workspace, name), text);
  };
  for (const name of [".envrc", ".mcp.json", "sub/.envrc"]) put(name, "mine\n");
  const first = await startChild(t, place);
  const { body: state } = await first.call("/api/v1/state");
  const problem = state.warnings.find((text: string) => text.includes("without a jail"));
  if (problem !== undefined) return t.skip(problem);
  const { command, pids } = sleeper();
  // Its approved write is to stay; what it plants by the time it is killed isn't.
  const words = Buffer.from("new/.vscode").toString("base64");
  const plant = `node -e 'const d=Buffer.from("${words}","base64")+"";require("fs").mkdirSync(d+"/x",{recursive:true})'`;
  const asked = await first.call("/api/v1/exec", {
    method: "POST",
    body: { command: `echo new > .mcp.json; ${plant}; exec ${command}`, proposalId: "runs" },
    headers: ASYNC,
  });
  const decided = { method: "POST", body: { decision: "allow-once" } };
  await first.call(`/api/v1/approvals/${asked.body.approvalId}/decision`, decided);
  await eventually(() => pids().length > 0);
  rmSync(join(place.workspace, ".envrc"));
  put(".envrc", "evil\n");
  await kill(first);
  await eventually(() => pids().length === 0);

  const second = await startChild(t, place);
  const { outcome } = (await second.call("/api/v1/exec/runs")).body;
  assert.equal(outcome.kind, "interrupted");
  assert.match(outcome.reason, /^The hub stopped between the start and the end\. It left what would start code, /);
  assert.match(
    outcome.reason,
    /taken away: [^ ]*\/new\/\.vscode\. What starts code was changed [^:]*: [^ ]*\/\.envrc\. /,
  );
  const left = () =>
    [".envrc", ".mcp.json", "sub/.envrc", "new/.vscode"].filter((name) => existsSync(join(place.workspace, name)));
  assert.deepEqual(left(), [".mcp.json", "sub/.envrc"]);
  // Nothing is open any more: what changes now is a person's.
  put(".envrc", "restored\n");
  await kill(second);
  await kill(await startChild(t, place));
  assert.deepEqual(left(), [".envrc", ".mcp.json", "sub/.envrc"]);
});

test("a preview that runs when its hub is killed ends with it, and is on record as interrupted", async (t) => {
  const place = scratch(t, { ask: "always", timeoutMs: 600_000 });
  const { command, pids } = sleeper();
  const first = await startChild(t, place);
  const asked = await first.call("/api/v1/exec", {
    method: "POST",
    body: { command: `echo x > made; exec ${command}`, proposalId: "waits" },
    headers: ASYNC,
  });
  const { approvalId } = asked.body;
  const { body: state } = await first.call("/api/v1/state");
  const problem = state.warnings.find((text: string) => text.includes("without a jail"));
  if (problem !== undefined) return t.skip(problem);
  const cut = first.call(`/api/v1/approvals/${approvalId}/preview`, { method: "POST" }).catch((cause) => cause.code);
  await eventually(() => pids().length > 0);
  await kill(first);
  assert.equal(await cut, "ECONNRESET");
  await eventually(() => pids().length === 0);

  const second = await startChild(t, place);
  assert.equal((await second.call("/api/v1/exec/waits")).body.state, "pending", "the approval waits on");
  await kill(second);
  // Once: the next start finds nothing to end.
  const third = await startChild(t, place);
  await kill(third);
  const database = join(place.homeDir, "countersign.db");
  const check = await checkLedger(readReceipts(database));
  assert.ok(check.whole, JSON.stringify(check));
  const told: unknown[] = [];
  for await (const { type, body, proposalKey } of readLedger(database)) {
    if (proposalKey) told.push([type, body.kind, body.approvalId]);
  }
  assert.deepEqual(told, [
    ["preview-decided", undefined, approvalId],
    ["preview-ended", "interrupted", approvalId],
  ]);
  assert.deepEqual([existsSync(join(place.workspace, "made")), pids()], [false, []]);
});
