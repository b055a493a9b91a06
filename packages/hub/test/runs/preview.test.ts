import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { LOCAL_AGENT } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { userName } from "@countersign/core/host";
import { previewSchema } from "@countersign/protocol/proposals";
import { uuidv7 } from "uuidv7";
import { ALICE } from "../support/open-hub.ts";
import { Client, openServer, type TestServer } from "../support/open-server.ts";

/** A server that jails what it runs, and how to ask of it; undefined, and the test skipped, where there is none. */
async function openJailed(t: TestContext, limits = {}) {
  const server = await openServer(t, limits);
  const { warnings } = await server.hub.state();
  const problem = warnings.find((text) => text.includes("without a jail"));
  if (problem !== undefined) {
    t.skip(problem);
    return undefined;
  }
  return { server, ask: (command: string, more = {}) => ask(server, command, more) };
}

async function ask(server: TestServer, command: string, more: object) {
  const proposalId = uuidv7();
  const known = new Set((await server.hub.approvals.list({ limit: 100 })).map(({ approvalId }) => approvalId));
  const outcome = server.hub.proposals.propose({ command, proposalId, cwd: server.workspace, ...more }, LOCAL_AGENT);
  for (;;) {
    const card = (await server.hub.approvals.list({ limit: 100 })).find(({ approvalId }) => !known.has(approvalId));
    if (card) return { card, outcome, proposalId };
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const deny = { decision: "deny" } as const;
const isRefusal = (code: string, message: RegExp) => (cause: unknown) =>
  cause instanceof HubError && cause.code === code && message.test(cause.message);

test("a preview tells what a command would do, on its own record; then it is run for real, or not", async (t) => {
  const opened = await openJailed(t);
  if (!opened) return;
  const { server } = opened;
  writeFileSync(join(server.workspace, "kept"), "one\n");
  const { card, outcome, proposalId } = await opened.ask("rm kept; echo made > made; echo said; exit 3");
  const path = `/api/v1/approvals/${card.approvalId}/preview`;
  const { status, body } = await server.api("POST", path);
  assert.equal(status, 200);
  const preview = previewSchema.parse(body);
  const { receipt, ...ended } = preview.outcome;
  assert.deepEqual(ended, {
    ...{ kind: "exited", exitCode: 3, stdout: "said\n", stderr: "" },
    ...{ by: "person", approvalId: card.approvalId },
  });
  const state = (size: number) => ({ type: "file" as const, mode: "644", size });
  assert.deepEqual(
    { ...preview, outcome: undefined },
    {
      approvalId: card.approvalId,
      outcome: undefined,
      how: "overlay",
      changes: [
        { path: join(server.workspace, "kept"), change: "deleted", before: state(4) },
        { path: join(server.workspace, "made"), change: "created", after: state(5), diff: "+made" },
      ],
      counts: { created: 1, changed: 0, deleted: 1 },
      truncated: false,
    },
  );
  assert.deepEqual(readdirSync(server.workspace), ["kept"]);
  assert.equal((await server.hub.proposals.status(LOCAL_AGENT, proposalId)).state, "pending");

  assert.equal(
    (
      (await server.api("POST", `/api/v1/approvals/${card.approvalId}/decision`, { decision: "allow-once" })).body as {
        ok: boolean;
      }
    ).ok,
    true,
  );
  const real = await outcome;
  assert.deepEqual([real.kind, real.exitCode], ["exited", 3]);
  assert.deepEqual(readdirSync(server.workspace), ["made"]);

  const ledger = (await server.readLedger()).filter(({ proposalKey }) => proposalKey !== null);
  assert.deepEqual(
    ledger.map(({ type }) => type),
    ["preview-decided", "preview-ended", "decided", "started", "ended"],
  );
  const [decided, previewEnded, , , last] = ledger;
  assert.equal(previewEnded?.hash, receipt);
  assert.equal(last?.hash, real.receipt);
  const { approvalId, person, assurance, verdict, jail, agent } = decided?.body ?? {};
  assert.deepEqual(
    { approvalId, person, assurance, verdict, jail, agent },
    {
      approvalId: card.approvalId,
      person: userName(),
      assurance: "token",
      verdict: "allow",
      jail: "workspace",
      agent: "local",
    },
  );
  const { kind, exitCode, created, deleted, stdout, changesHash, stdoutHash } = previewEnded?.body ?? {};
  assert.deepEqual([kind, exitCode, created, deleted, stdout], ["exited", 3, 1, 1, undefined]);
  assert.match(`${changesHash} ${stdoutHash}`, /^hmac-sha256:\w{64} hmac-sha256:\w{64}$/);
  assert.equal((await server.hub.record.verify()).whole, true);
  const audited = (await server.hub.auditTail(10)).filter(({ details }) => details.preview === true);
  assert.deepEqual(
    audited.map(({ type }) => type),
    ["tool_exec"],
  );
});

test("over the envelope too; large results fit a frame", async (t) => {
  const opened = await openJailed(t, { frameBytes: 256 * 1024 });
  if (!opened) return;
  const { server } = opened;
  const { card, outcome } = await opened.ask("for i in {1..40}; do seq -f '%020g' 1 1500 > f$i; done; seq 1 200000");
  const client = await registered(server);
  const preview = previewSchema.parse(await client.request("previewExec", { approvalId: card.approvalId }));
  assert.deepEqual([preview.counts.created, preview.changes.length, preview.outcome.truncated], [40, 40, true]);
  assert.ok(
    preview.changes.some(({ diff }) => diff !== undefined) && preview.changes.some((one) => one.undiffed === "limit"),
  );
  await server.hub.answer(card.approvalId, deny, ALICE);
  assert.equal((await outcome).kind, "denied");
});

test("what ends the approval ends its preview; a gone caller and a closing hub do too", async (t) => {
  const opened = await openJailed(t);
  if (!opened) return;
  const { hub, workspace } = opened.server;
  const word = longSleep();
  const { card, outcome } = await opened.ask(`echo x > made; ${word}; true`);
  const gone = new AbortController();
  const left = hub.previews.preview(card.approvalId, ALICE, { gone: gone.signal });
  await runs(word);
  gone.abort();
  assert.equal((await left).outcome.kind, "aborted");
  await ends(word, opened.server);
  const first = hub.previews.preview(card.approvalId, ALICE);
  await runs(word);
  await assert.rejects(hub.previews.preview(card.approvalId, ALICE), isRefusal("LIMIT", /running already/));
  await hub.answer(card.approvalId, deny, ALICE);
  const ended = await first;
  assert.deepEqual([ended.outcome.kind, ended.counts.created], ["aborted", 1]);
  const denied = await outcome;
  assert.equal(denied.kind, "denied");
  await assert.rejects(hub.previews.preview(card.approvalId, ALICE), isRefusal("NOT_FOUND", /not found or already/));

  await ends(word, opened.server);
  const again = await opened.ask(`echo y > made; ${word}; true`);
  const closing = hub.previews.preview(again.card.approvalId, ALICE);
  await runs(word);
  const released = assert.rejects(again.outcome, /stays open/);
  await hub.close();
  assert.equal((await closing).outcome.kind, "aborted");
  assert.deepEqual(readdirSync(workspace), []);
  await released;
});

test("over HTTP and the envelope: whoever cancels it or goes away ends it, and the approval waits on", async (t) => {
  const opened = await openJailed(t);
  if (!opened) return;
  const { server } = opened;
  const word = longSleep();
  const { card, outcome } = await opened.ask(`echo x > made; ${word}; true`);
  const path = `/api/v1/approvals/${card.approvalId}/preview`;
  const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };

  const leaving = new AbortController();
  const left = fetch(server.url + path, { method: "POST", headers, signal: leaving.signal });
  await runs(word);
  leaving.abort();
  await assert.rejects(left);
  await ends(word, server);

  const cancelled = server.api("POST", path);
  await runs(word);
  assert.deepEqual(await server.api("DELETE", path), { status: 200, body: { ok: true } });
  const { outcome: ended } = previewSchema.parse((await cancelled).body);
  assert.deepEqual([ended.kind, ended.reason], ["aborted", `Ended by ${userName()}`]);
  assert.deepEqual(await server.api("DELETE", path), { status: 200, body: { ok: true } }, "nothing runs");

  await ends(word, server);
  const client = await registered(server);
  const early = client.request("previewExec", { approvalId: card.approvalId });
  assert.deepEqual(await client.request("cancelPreview", { approvalId: card.approvalId }), { ok: true });
  assert.equal(previewSchema.parse(await early).outcome.kind, "not-started", "cancelled before it could start");
  const envelope = client.request("previewExec", { approvalId: card.approvalId });
  await runs(word);
  assert.deepEqual(await client.request("cancelPreview", { approvalId: card.approvalId }), { ok: true });
  assert.equal(previewSchema.parse(await envelope).outcome.kind, "aborted");
  await ends(word, server);
  void client.request("previewExec", { approvalId: card.approvalId });
  await runs(word);
  client.socket.terminate();
  await ends(word, server);

  assert.equal(server.hub.approvals.pending, 1);
  await server.hub.answer(card.approvalId, deny, ALICE);
  await outcome;
  const kinds = (await server.readLedger()).filter(({ type }) => type === "preview-ended").map(({ body }) => body.kind);
  assert.deepEqual(kinds, ["aborted", "aborted", "not-started", "aborted", "aborted"]);
});

test("not more at once than the limit, nothing while paused, and only what a jail of ours would run", async (t) => {
  const opened = await openJailed(t, { previews: 1 });
  if (!opened) return;
  const { hub } = opened.server;
  const one = await opened.ask("touch one; sleep 1000");
  const two = await opened.ask("touch two");
  const gone = new AbortController();
  const running = hub.previews.preview(one.card.approvalId, ALICE, { gone: gone.signal });
  await assert.rejects(hub.previews.preview(two.card.approvalId, ALICE), isRefusal("LIMIT", /limit: previews/));
  gone.abort();
  await running;
  await hub.pause(ALICE);
  await assert.rejects(hub.previews.preview(two.card.approvalId, ALICE), isRefusal("UNAUTHORIZED", /paused/));
  await hub.resume(ALICE);
  const passed = hub.proposals.proposeExternal(
    { command: "touch three", cwd: opened.server.workspace },
    LOCAL_AGENT,
    "none",
  );
  const external = await (async () => {
    for (;;) {
      const card = (await hub.approvals.list({ limit: 100 })).find(({ command }) => command === "touch three");
      if (card) return card;
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  await assert.rejects(
    hub.previews.preview(external.approvalId, ALICE),
    isRefusal("INVALID_PARAMS", /the agent runs it itself/),
  );
  await assert.rejects(hub.previews.preview("unknown", ALICE), isRefusal("NOT_FOUND", /not found/));
  for (const { approvalId } of await hub.approvals.list({ limit: 100 })) await hub.answer(approvalId, deny, ALICE);
  await Promise.all([one.outcome, two.outcome, passed]);
});

test("everything that is bound is looked at again before it starts", async (t) => {
  const opened = await openJailed(t);
  if (!opened) return;
  const { hub, workspace } = opened.server;
  writeFileSync(join(workspace, "script.sh"), "echo x > made\n");
  const { card, outcome } = await opened.ask("bash script.sh");
  assert.equal((await hub.previews.preview(card.approvalId, ALICE)).counts.created, 1);
  writeFileSync(join(workspace, "script.sh"), "echo y > other\n");
  const { outcome: refused, changes } = await hub.previews.preview(card.approvalId, ALICE);
  assert.deepEqual([refused.kind, changes], ["not-started", []]);
  assert.match(refused.reason ?? "", /script\.sh changed after the decision/);
  await hub.answer(card.approvalId, deny, ALICE);
  await outcome;
  assert.ok(!existsSync(join(workspace, "made")));
});

test("what fails only in a preview says so", async (t) => {
  const opened = await openJailed(t);
  if (!opened) return;
  const { hub } = opened.server;
  const { card, outcome } = await opened.ask("mkdir -p d && curl -sS http://a.example/ > d/x");
  const { outcome: ended } = await hub.previews.preview(card.approvalId, ALICE);
  assert.match(`${ended.exitCode} ${ended.reason}`, /^[1-9]\d* It may have failed because of its jail .*no network/);
  await hub.answer(card.approvalId, deny, ALICE);
  await outcome;
});

/** A client of the envelope dialect that has registered. */
async function registered(server: TestServer) {
  const client = await Client.open(`${server.url}/ws`);
  const from = uuidv7();
  const register = { deviceType: "client", token: server.token };
  client.send({ id: uuidv7(), from, to: "gateway", action: "register", payload: register });
  const to = (await client.next(({ action }) => action === "registered")).payload?.hubDeviceId;
  const request = async (method: string, params: object) => {
    const requestId = uuidv7();
    client.send({ id: uuidv7(), from, to, action: "request", payload: { requestId, method, params } });
    return (await client.next((frame) => frame.payload?.requestId === requestId)).payload?.payload;
  };
  return { socket: client.socket, request };
}

/** Resolves once a process with these words runs, anywhere on this machine. */
async function runs(words: string): Promise<void> {
  while (!isRunning(words)) await sleep(10);
}

/** Resolves once it doesn't, and the hub has recorded the end of its preview. */
async function ends(words: string, { hub }: Pick<TestServer, "hub">): Promise<void> {
  while (isRunning(words) || hub.previews.running > 0) await sleep(10);
}

function isRunning(words: string): boolean {
  const isIt = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim() === words;
    } catch {
      // It has ended since.
      return false;
    }
  };
  return readdirSync("/proc").some((pid) => /^\d+$/.test(pid) && isIt(pid));
}

/** One that no other test has. */
function longSleep(): string {
  return `sleep 1000.${randomInt(1e9)}`;
}
