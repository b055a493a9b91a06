import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ALICE, openHub, type TestHub } from "../support/open-hub.ts";
import { openServer } from "../support/open-server.ts";

async function answered(hub: TestHub, command: string, answer: object, more: object = {}): Promise<void> {
  const outcome = hub.propose(command, more);
  await hub.hub.answer((await hub.asked()).approvalId, answer, ALICE);
  await outcome;
}

test("the history tells what ran, what was denied, by whom and why", async (t) => {
  const hub = await openHub(t, { profile: { denylist: [{ pattern: "rm **" }] } });
  const repository = join(hub.workspace, "web");
  mkdirSync(join(repository, ".git"), { recursive: true });
  await hub.propose("echo one");
  await answered(hub, "touch made", { decision: "allow-once" }, { cwd: repository, session: "fix login" });
  await answered(hub, "touch other", { decision: "deny", reason: "use the generator" });
  await hub.propose("rm -rf dist");
  const { rows, next } = await hub.hub.history.search({});
  assert.equal(next, null);
  assert.deepEqual(
    rows.map(({ command, result, by, person, risk, asked, exitCode }) => [
      command,
      result,
      by,
      person,
      risk,
      asked,
      exitCode,
    ]),
    [
      ["rm -rf dist", "denied", "deny-entry", null, "dangerous", false, null],
      ["touch other", "denied", "person", "alice", "needs-review", true, null],
      ["touch made", "succeeded", "person", "alice", "needs-review", true, 0],
      ["echo one", "succeeded", "policy", null, "safe", false, 0],
    ],
  );
  assert.match(rows[1]?.reason ?? "", /use the generator/);
  assert.deepEqual([rows[2]?.repository, rows[2]?.session, rows[3]?.repository], [repository, "fix login", null]);
  const found = async (query: object) => (await hub.hub.history.search(query)).rows.map(({ command }) => command);
  assert.deepEqual(await found({ text: "TOUCH" }), ["touch other", "touch made"]);
  assert.deepEqual(await found({ text: "touch", directory: repository }), ["touch made"]);
  assert.deepEqual(await found({ result: "denied", by: "person,deny-entry" }), ["rm -rf dist", "touch other"]);
  assert.deepEqual(await found({ session: "fix login" }), ["touch made"]);
  assert.deepEqual(await found({ text: '"echo one"' }), ["echo one"]);
  const key = rows[2]?.key ?? "";
  assert.equal((await hub.hub.record.story(key)).whole, true);
});

test("a secret of a command isn't found once it has ended, nor while it waits", async (t) => {
  const hub = await openHub(t);
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const outcome = hub.propose(`touch ${secret}`);
  const { approvalId } = await hub.asked();
  assert.deepEqual((await hub.hub.history.search({ text: "touch" })).rows, []);
  await hub.hub.answer(approvalId, { decision: "deny" }, ALICE);
  await outcome;
  assert.equal((await hub.hub.history.search({ text: "touch" })).rows.length, 1);
  assert.deepEqual((await hub.hub.history.search({ text: secret })).rows, []);
});

test("today is counted for each agent and repository, with hosts and files outside", async (t) => {
  const hub = await openHub(t);
  await hub.propose("false");
  const asked = hub.propose("curl -so /tmp/x https://nowhere.invalid/x");
  const { approvalId } = await hub.asked();
  hub.clock.advance(5_000);
  await hub.hub.answer(approvalId, { decision: "allow-once" }, ALICE);
  await asked;
  await answered(hub, "touch b", { decision: "deny" });
  const { totals, groups } = await hub.hub.history.today({ fromMs: 0 });
  assert.deepEqual(totals, { ran: 2, failed: 2, asked: 2, denied: 1, expired: 0, cancelled: 0, waitedMs: 5_000 });
  assert.equal(groups.length, 1);
  assert.equal(groups[0]?.directory, hub.workspace);
  assert.deepEqual(groups[0]?.hosts.names, ["nowhere.invalid"]);
  assert.deepEqual(groups[0]?.outside.names, ["/tmp/x"]);
  const later = await hub.hub.history.today({ fromMs: hub.clock.wallMs() + 1 });
  assert.deepEqual(later.groups, []);
});

test("what is always allowed is suggested with the change that would save it, which is then no longer suggested", async (t) => {
  const hub = await openHub(t);
  mkdirSync(join(hub.workspace, ".git"));
  assert.deepEqual(await hub.hub.history.suggestions({}), { suggestions: [] });
  for (const session of ["a", "b", "b"]) await answered(hub, "touch made", { decision: "allow-once" }, { session });
  const { suggestions } = await hub.hub.history.suggestions({});
  assert.equal(suggestions.length, 1);
  const [first] = suggestions;
  assert(first?.kind === "allow" && first.change.action === "allow");
  assert.deepEqual(
    [first.command, first.directory, first.allowed, first.sessions, first.profile],
    ["touch made", hub.workspace, 3, 2, "default"],
  );
  assert.equal((first.change.entries[0] as { directory?: string }).directory, hub.workspace);
  await hub.hub.policyEdits.edit({ profile: "default", change: first.change }, ALICE);
  assert.deepEqual((await hub.hub.history.suggestions({})).suggestions, []);
  assert.equal((await hub.propose("touch made")).by, "entry");
});

test("whoever goes away is no failure, and too many questions at once are refused with a limit's name", async (t) => {
  const hub = await openHub(t);
  await hub.propose("echo one");
  await assert.rejects(hub.hub.history.search({}, AbortSignal.abort()), { code: "INTERNAL", message: /Nobody waits/ });
  const many = await Promise.allSettled(Array.from({ length: 70 }, () => hub.hub.history.search({})));
  const refused = many.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  assert.ok(refused.length > 0 && refused.length < 70);
  for (const { code, message } of refused) {
    assert.equal(code, "LIMIT");
    assert.match(message, /limit: historyQuestions/);
  }
  assert.equal((await hub.hub.history.search({})).rows.length, 1);
});

test("over HTTP what isn't a filter is refused, and limits are kept", async (t) => {
  const server = await openServer(t);
  await server.api("POST", "/api/v1/exec", { command: "echo hi" });
  const { status, body } = await server.api("GET", "/api/v1/history?text=ECHO&result=succeeded,failed&limit=1");
  assert.equal(status, 200);
  assert.equal((body as { rows: unknown[] }).rows.length, 1);
  for (const query of [
    "result=odd",
    "limit=201",
    "limit=0",
    "wat=1",
    "before=-1",
    `text=${"w+".repeat(9)}`,
    `text=${"x".repeat(257)}`,
  ]) {
    assert.equal((await server.api("GET", `/api/v1/history?${query}`)).status, 400, query);
  }
  assert.equal((await server.api("GET", "/api/v1/today")).status, 200);
  assert.equal((await server.api("GET", "/api/v1/today?fromMs=x")).status, 400);
  assert.equal((await server.api("GET", "/api/v1/suggestions?days=0")).status, 400);
});
