import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { problemSchema } from "@countersign/protocol/proposals";
import { readLedger } from "@countersign/store";
import { FakeClock } from "../support/fake-clock.ts";
import {
  type Answer,
  type Call,
  eventually,
  type Serving,
  sleeper,
  startServing,
  TOKEN,
} from "../support/serve-fixture.ts";

const FULL = { security: "full", ask: "off" };
const ASKS = { ask: "always", timeoutMs: 600_000 };
const ASYNC = { headers: { prefer: "respond-async" } };

async function ledgerTypes(s: Serving): Promise<string[]> {
  const types: string[] = [];
  for await (const entry of readLedger(s.served.home.database)) types.push(entry.type);
  return types;
}

/** The one shape of a failure, with a code of the closed list. */
function assertProblem({ status, body }: Answer, code: string, what: string): void {
  assert.deepEqual(Object.keys(body), ["error"], `${what}: ${JSON.stringify(body)}`);
  assert.equal(problemSchema.parse(body.error).code, code, `${what}: ${body.error.message}`);
  const statuses: Record<string, number> = {
    NOT_FOUND: 404,
    METHOD_NOT_FOUND: 404,
    INVALID_PARAMS: 400,
    UNAUTHORIZED: 401,
    CONFLICT: 409,
    LIMIT: 429,
    INTERNAL: 500,
  };
  assert.equal(status, statuses[code], what);
}

test("only requests that are meant for us, from our own page or no browser, with the token", async (t) => {
  const s = await startServing(t, { profile: FULL });
  const { port } = new URL(s.served.url);
  const body = { command: `touch ${s.workspace}/marker` };
  const exec = (headers: Call["headers"]) =>
    s.call("/api/v1/exec", { method: "POST", body, ...(headers ? { headers } : {}) });
  const unauthorized: Record<string, Call["headers"]> = {
    "no token": { authorization: undefined },
    "wrong token": { authorization: "Bearer test-token-of-mallo" },
    "token and more": { authorization: `Bearer ${TOKEN}x` },
    "empty token": { authorization: "Bearer " },
    "other scheme": { authorization: `Basic ${Buffer.from(`:${TOKEN}`).toString("base64")}` },
    "rebound name": { host: `evil.example:${port}` },
    "right name, other port": { host: "127.0.0.1:1" },
    "no port": { host: "localhost" },
    "name with a tail": { host: `localhost.evil.example:${port}` },
    "other origin": { origin: "https://evil.example" },
    "other port of localhost": { origin: "http://127.0.0.1:3000" },
    "other scheme's origin": { origin: `https://127.0.0.1:${port}` },
    "opaque origin": { origin: "null" },
    "other name of us": { host: `127.0.0.1:${port}`, origin: `http://localhost:${port}` },
    "cross-site": { "sec-fetch-site": "cross-site" },
    "same-site": { "sec-fetch-site": "same-site" },
    navigation: { "sec-fetch-site": "none" },
  };
  for (const [what, headers] of Object.entries(unauthorized)) assertProblem(await exec(headers), "UNAUTHORIZED", what);
  for (const path of ["/api/v1/approvals", "/api/v1/state", "/api/v1/exec/x", "/api/v1/nothing"]) {
    assertProblem(await s.call(path, { headers: { authorization: undefined } }), "UNAUTHORIZED", path);
  }
  for (const type of [
    undefined,
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonp",
  ]) {
    assertProblem(await exec({ "content-type": type }), "INVALID_PARAMS", String(type));
  }
  assert.ok(!existsSync(join(s.workspace, "marker")));
  assert.ok(!(await ledgerTypes(s)).includes("decided"));
  for (const headers of [
    { host: `localhost:${port}` },
    { host: `[::1]:${port}` },
    {
      origin: `http://127.0.0.1:${port}`,
      "sec-fetch-site": "same-origin",
      "content-type": "application/json; charset=utf-8",
    },
  ]) {
    assert.equal((await exec(headers)).body.kind, "exited");
  }
  assert.deepEqual((await s.call("/healthz", { headers: { authorization: undefined } })).body, { ok: true });
});

test("what isn't a proposal is refused with a code and a field, and nothing runs", async (t) => {
  const s = await startServing(t, { profile: FULL });
  const command = `touch ${s.workspace}/marker`;
  const exec = (raw: string | Buffer) => s.call("/api/v1/exec", { method: "POST", raw });
  const invalid: Record<string, string | Buffer> = {
    nothing: "",
    "half JSON": `{"command":"${command}"`,
    "two values": `{"command":"${command}"} {}`,
    array: "[]",
    null: "null",
    text: `"${command}"`,
    "no command": "{}",
    "empty command": '{"command":"  \\n "}',
    number: '{"command":1}',
    "array of words": `{"command":["touch","${s.workspace}/marker"]}`,
    "NUL in command": `{"command":"${command}\\u0000"}`,
    "lone surrogate": `{"command":"${command} \\ud800"}`,
    "invalid UTF-8": Buffer.concat([
      Buffer.from(`{"command":"${command} `),
      Buffer.from([0xff, 0xc0]),
      Buffer.from('"}'),
    ]),
    "unknown key": `{"command":"${command}","approved":true}`,
    "prototype key": `{"command":"${command}","__proto__":{"x":1},"constructor":1}`,
    "relative cwd": `{"command":"${command}","cwd":"workspace"}`,
    "missing cwd": `{"command":"${command}","cwd":"/nonexistent"}`,
    "cwd is a file": `{"command":"${command}","cwd":"/etc/passwd"}`,
    "NUL in cwd": `{"command":"${command}","cwd":"/\\u0000"}`,
    "surrogate in cwd": `{"command":"${command}","cwd":"/\\udfff"}`,
    "env isn't a map": `{"command":"${command}","env":["A=1"]}`,
    "env value": `{"command":"${command}","env":{"A":1}}`,
    "env name": `{"command":"${command}","env":{"A=B":"1"}}`,
    "env loads code": `{"command":"${command}","env":{"LD_PRELOAD":"/x.so"}}`,
    "env of bash": `{"command":"${command}","env":{"BASH_ENV":"/x"}}`,
    "env surrogate": `{"command":"${command}","env":{"A":"\\ud800"}}`,
    "env NUL": `{"command":"${command}","env":{"A":"\\u0000"}}`,
    "control in id": `{"command":"${command}","proposalId":"a\\nb"}`,
    "surrogate in id": `{"command":"${command}","proposalId":"\\ud800"}`,
    "long id": `{"command":"${command}","proposalId":"${"x".repeat(129)}"}`,
    "empty session": `{"command":"${command}","session":""}`,
    "surrogate in reason": `{"command":"${command}","reason":"\\ud800"}`,
    "infinite timeout": `{"command":"${command}","runTimeoutMs":1e999}`,
    "huge timeout": `{"command":"${command}","runTimeoutMs":9007199254740993}`,
    "negative timeout": `{"command":"${command}","runTimeoutMs":-1}`,
    "half a millisecond": `{"command":"${command}","runTimeoutMs":0.5}`,
    "text as timeout": `{"command":"${command}","runTimeoutMs":"1000"}`,
    deep: `{"command":${"[".repeat(200_000)}`,
    "deep and whole": `{"command":"${command}","env":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
  };
  for (const [what, raw] of Object.entries(invalid)) assertProblem(await exec(raw), "INVALID_PARAMS", what);
  const limits: Record<string, string> = {
    "10 MB command": JSON.stringify({ command: `${command} ${"x".repeat(10_000_000)}` }),
    "command of too many bytes": JSON.stringify({ command: `${command} ${"漢".repeat(50_000)}` }),
  };
  for (const [what, raw] of Object.entries(limits)) assertProblem(await exec(raw), "LIMIT", what);
  const chunked = await s.call("/api/v1/exec", {
    method: "POST",
    raw: limits["10 MB command"] ?? "",
    headers: { "transfer-encoding": "chunked" },
  });
  assertProblem(chunked, "LIMIT", "chunked");
  assert.ok(!existsSync(join(s.workspace, "marker")));
  assert.deepEqual(
    (await ledgerTypes(s)).filter((type) => !["ledger-opened", "hub-up", "policy-changed"].includes(type)),
    [],
  );
  assert.equal((await s.propose("true")).body.kind, "exited");
});

test("names that objects inherit are names like others", async (t) => {
  const s = await startServing(t, { profile: FULL });
  const env = JSON.parse('{"constructor":"c","toString":"t","hasOwnProperty":"h"}');
  const { body } = await s.propose('echo "$constructor $toString $hasOwnProperty"', {
    env,
    session: "__proto__",
    proposalId: "constructor",
  });
  assert.equal(body.stdout, "c t h\n");
  assert.deepEqual((await s.call("/api/v1/exec/constructor")).body.outcome, body);
  for (const id of ["__proto__", "toString", "hasOwnProperty"]) {
    assertProblem(await s.call(`/api/v1/exec/${id}`), "NOT_FOUND", id);
    assertProblem(await s.decide(id, "deny"), "NOT_FOUND", id);
  }
  assert.equal(({} as Record<string, unknown>).c, undefined);
});

test("unknown paths and ids, and answers that aren't one, change nothing", async (t) => {
  const s = await startServing(t, { profile: ASKS });
  for (const [method, path] of [
    ["GET", "/nothing"],
    ["GET", "/api/v1/nothing"],
    ["PUT", "/api/v1/exec"],
    ["POST", "/../etc/passwd"],
  ] as const) {
    assertProblem(await s.call(path, { method, ...(method === "GET" ? {} : { body: {} }) }), "METHOD_NOT_FOUND", path);
  }
  assertProblem(await s.call("/api/v1/exec/unknown", { method: "DELETE" }), "NOT_FOUND", "unknown proposal");
  assertProblem(await s.call("/api/v1/exec/%ff%00"), "NOT_FOUND", "undecodable id");
  const unknown = await s.decide("019444a0-1234-7abc-8000-abcdef123456", "allow-once");
  assert.deepEqual(unknown.body, {
    error: { code: "NOT_FOUND", message: "Approval request not found or already resolved" },
  });
  const waiting = s.propose(`touch ${s.workspace}/marker`);
  const { approvalId } = await s.asked();
  const wrong: [string, unknown][] = [
    ["none", {}],
    ["other word", { decision: "allow" }],
    ["case", { decision: "Allow-Once" }],
    ["space", { decision: "allow-once " }],
    ["array", { decision: ["allow-once"] }],
    ["boolean", { decision: true }],
    ["null", null],
    ["edited command that hides something", { decision: "allow-once", command: "echo [REDACTED]" }],
    ["scope", { decision: "allow-once", scope: "all" }],
    ["reason", { decision: "deny", reason: 1 }],
    ["long reason", { decision: "deny", reason: "x".repeat(2_000) }],
  ];
  for (const [what, body] of wrong) {
    assertProblem(
      await s.call(`/api/v1/approvals/${approvalId}/decision`, { method: "POST", body }),
      "INVALID_PARAMS",
      what,
    );
  }
  assert.equal((await s.call(`/api/v1/approvals/${approvalId}`)).body.approvalId, approvalId);
  assert.deepEqual((await s.decide(approvalId, "deny", { reason: "no" })).body, { ok: true });
  const { body } = await waiting;
  assert.deepEqual([body.kind, body.by, body.approvalId, body.exitCode], ["denied", "person", approvalId, undefined]);
  assertProblem(await s.decide(approvalId, "allow-once"), "NOT_FOUND", "too late");
  assert.ok(!existsSync(join(s.workspace, "marker")));
  assert.ok(!(await ledgerTypes(s)).includes("started"));
});

test("POST /exec waits for the answer; the same proposalId joins, another body conflicts", async (t) => {
  const s = await startServing(t, { profile: ASKS });
  const command = `echo ran >> ${s.workspace}/marker; echo hi`;
  const [first, second] = [s.propose(command, { proposalId: "p/1 ü%" }), s.propose(command, { proposalId: "p/1 ü%" })];
  const { approvalId } = await s.asked();
  assertProblem(await s.propose("true", { proposalId: "p/1 ü%" }), "CONFLICT", "another body while it waits");
  assert.equal((await s.call("/api/v1/approvals")).body.length, 1);
  assert.deepEqual((await s.decide(approvalId, "allow-once")).body, { ok: true });
  const { receipt, ...outcome } = (await first).body;
  assert.deepEqual(outcome, { kind: "exited", exitCode: 0, stdout: "hi\n", stderr: "", by: "person", approvalId });
  for (const again of [await second, await s.propose(command, { proposalId: "p/1 ü%" })])
    assert.deepEqual(again.body, { receipt, ...outcome });
  assertProblem(await s.propose("true", { proposalId: "p/1 ü%" }), "CONFLICT", "another body after the end");
  assert.equal(readFileSync(join(s.workspace, "marker"), "utf8"), "ran\n");
  const status = await s.call(`/api/v1/exec/${encodeURIComponent("p/1 ü%")}`);
  assert.deepEqual(status.body, { proposalId: "p/1 ü%", state: "ended", approvalId, outcome: { receipt, ...outcome } });
});

test("respond-async answers 202 with where to ask, and wait= waits there", async (t) => {
  const s = await startServing(t, { profile: ASKS });
  const first = await s.propose("echo hi", { proposalId: "p1" }, ASYNC);
  const { approvalId } = await s.asked();
  assert.deepEqual(
    [first.status, first.headers.location, first.body],
    [202, "/api/v1/exec/p1", { proposalId: "p1", state: "pending", approvalId }],
  );
  const again = await s.propose("echo hi", { proposalId: "p1" }, ASYNC);
  assert.deepEqual([again.status, again.body], [202, first.body]);
  assert.deepEqual((await s.call("/api/v1/exec/p1")).body, first.body);
  const waiting = s.call("/api/v1/exec/p1", { headers: { prefer: "wait=100" } });
  await s.decide(approvalId, "allow-once");
  const { body } = await waiting;
  assert.deepEqual([body.state, body.outcome.kind, body.outcome.stdout], ["ended", "exited", "hi\n"]);
  const done = await s.propose("echo hi", { proposalId: "p1" }, { headers: { prefer: "respond-async, wait=5" } });
  assert.deepEqual([done.status, done.body], [200, body.outcome]);
  const nameless = await s.propose("echo hi", {}, ASYNC);
  assert.equal(nameless.headers.location, `/api/v1/exec/${nameless.body.proposalId}`);
});

test("wait= ends when its time is over", async (t) => {
  const clock = new FakeClock();
  const s = await startServing(t, { profile: ASKS, clock });
  const waiting = s.propose("echo hi", { proposalId: "p1" }, { headers: { prefer: "wait=7" } });
  await s.asked();
  let answered = false;
  waiting.then(() => {
    answered = true;
  });
  // The wait is armed right after the proposal is stored: advance until it was there to be seen.
  while (!answered) {
    clock.advance(7_000);
    for (let tries = 0; tries < 500 && !answered; tries += 1) await new Promise((resolve) => setTimeout(resolve, 2));
    assert.ok(clock.monotonicMs() < 500_000, "it went on waiting");
  }
  assert.equal((await waiting).status, 202);
});

test("a proposer that is cut off has a while to come back", async (t) => {
  const clock = new FakeClock();
  const s = await startServing(t, { profile: ASKS, clock, limits: { returnMs: 10_000 } });
  const gone = new AbortController();
  const first = s.propose("echo hi", { proposalId: "p1" }, { signal: gone.signal });
  const { approvalId } = await s.asked();
  gone.abort();
  await assert.rejects(first);
  const open = s.served.hub.proposals.openProposals.find("bootstrap", "p1");
  await eventually(() => open?.waiters === 0);
  clock.advance(9_999);
  const back = s.propose("echo hi", { proposalId: "p1" });
  await eventually(() => open?.waiters === 1);
  clock.advance(60_000);
  await s.decide(approvalId, "allow-once");
  assert.equal((await back).body.kind, "exited");
});

test("a proposer that doesn't come back withdraws its proposal; one that never waited doesn't", async (t) => {
  const clock = new FakeClock();
  const s = await startServing(t, { profile: ASKS, clock, limits: { returnMs: 10_000 } });
  await s.propose("echo detached", { proposalId: "p2" }, ASYNC);
  const gone = new AbortController();
  const first = s.propose(`touch ${s.workspace}/marker`, { proposalId: "p1" }, { signal: gone.signal });
  await eventually(async () => (await s.call("/api/v1/approvals")).body.length === 2);
  gone.abort();
  await assert.rejects(first);
  await eventually(() => s.served.hub.proposals.openProposals.find("bootstrap", "p1")?.waiters === 0);
  clock.advance(10_000);
  const ended = await eventually(async () => (await s.call("/api/v1/exec/p1")).body.outcome);
  assert.deepEqual([ended.kind, ended.by, ended.reason], ["cancelled", "cancelled", "The agent went away"]);
  assert.deepEqual(
    (await s.call("/api/v1/approvals")).body.map((card: { command: string }) => card.command),
    ["echo detached"],
  );
  assert.ok(!existsSync(join(s.workspace, "marker")));
});

test("DELETE cancels what waits and kills what runs", async (t) => {
  const s = await startServing(t, { profile: { ...ASKS, allowlist: [{ pattern: "bash **" }] } });
  const waiting = s.propose("echo hi", { proposalId: "waits" });
  await s.asked();
  assert.deepEqual((await s.call("/api/v1/exec/waits", { method: "DELETE" })).body, { ok: true });
  assert.deepEqual([(await waiting).body.kind, (await s.call("/api/v1/approvals")).body], ["cancelled", []]);
  const { command, pids } = sleeper();
  const running = s.propose(command, { proposalId: "runs", jail: "workspace" });
  await s.decide((await s.asked()).approvalId, "allow-once");
  await eventually(() => pids().length > 0);
  assert.equal((await s.call("/api/v1/state")).body.running, 1);
  await s.call("/api/v1/exec/runs", { method: "DELETE" });
  assert.equal((await running).body.kind, "aborted");
  assert.deepEqual(pids(), []);
  assertProblem(await s.call("/api/v1/exec/runs", { method: "DELETE" }), "NOT_FOUND", "it has ended");
});

test("approvals come in pages that link to the next", async (t) => {
  const s = await startServing(t, { profile: ASKS, limits: { pageSize: 3 } });
  for (let n = 0; n < 7; n += 1) await s.propose(`echo ${n}`, {}, ASYNC);
  const seen: string[] = [];
  let next: string | undefined = "/api/v1/approvals?limit=100";
  for (let pages = 0; next; pages += 1) {
    assert.ok(pages < 10);
    const page: Answer = await s.call(next);
    assert.ok(page.body.length <= 3);
    seen.push(...page.body.map((card: { command: string }) => card.command));
    next = /^<([^>]+)>; rel="next"$/.exec(String(page.headers.link ?? ""))?.[1];
  }
  assert.deepEqual(seen, ["echo 0", "echo 1", "echo 2", "echo 3", "echo 4", "echo 5", "echo 6"]);
  for (const limit of ["0", "-1", "1.5", "x", "", "1e999"])
    assertProblem(await s.call(`/api/v1/approvals?limit=${limit}`), "INVALID_PARAMS", limit);
});

test("a paused hub denies at once and can't be talked into allowing", async (t) => {
  const s = await startServing(t, { profile: ASKS });
  await s.propose("echo hi", { proposalId: "p1" }, ASYNC);
  const { approvalId } = await s.asked();
  await s.call("/api/v1/pause", { method: "POST" });
  const { body } = await s.propose("echo now");
  assert.deepEqual([body.kind, body.by], ["denied", "paused"]);
  const refused = await s.decide(approvalId, "allow-once");
  assert.deepEqual([refused.status, refused.body.error.code], [403, "UNAUTHORIZED"]);
  assert.deepEqual((await s.call("/api/v1/pause", { method: "POST", body: { kill: true } })).body, {
    ok: true,
    ended: 0,
  });
  assertProblem(await s.call("/api/v1/pause", { method: "POST", body: { kill: 1 } }), "INVALID_PARAMS", "kill");
  await s.call("/api/v1/resume", { method: "POST" });
  assert.deepEqual((await s.decide(approvalId, "allow-once")).body, { ok: true });
});

test("a secret is in no answer: not in the card, the outcome, an error or the state", async (t) => {
  const s = await startServing(t, { profile: ASKS });
  const secret = `sk-ant-${"S".repeat(30)}`;
  const key = "OPENAI_API_KEY=SSSSSSSSSSSSSSSSSSSS";
  writeFileSync(join(s.workspace, "secrets"), `${secret}\nBearer ${"S".repeat(30)}\n${key}\nghp_${"S".repeat(36)}\n`);
  const answers: Answer[] = [];
  const params = { reason: `needs ${secret}`, env: { NOTE: secret, OTHER: `x ${key}` }, proposalId: "p1" };
  answers.push(await s.propose(`cat secrets; cat secrets >&2; echo ${secret} ${key}`, params, ASYNC));
  const card = await s.call("/api/v1/approvals");
  answers.push(card, await s.call(`/api/v1/approvals/${card.body[0].approvalId}`));
  assert.match(
    card.body[0].command,
    /^cat secrets; cat secrets >&2; echo \[REDACTED: 37 characters\] OPENAI_API_KEY=\[REDACTED: 20 characters\]$/,
  );
  answers.push(await s.decide(card.body[0].approvalId, "allow-once"));
  const ended = await s.call("/api/v1/exec/p1", { headers: { prefer: "wait=60" } });
  assert.match(ended.body.outcome.stdout, /^\[REDACTED\]\n/);
  answers.push(ended, await s.call("/api/v1/state"));
  answers.push(
    await s.propose("true", { [secret]: 1 }),
    await s.propose("true", { cwd: `/${secret}` }),
    await s.propose("true", { cwd: `/${key}` }),
  );
  answers.push(await s.call(`/api/v1/${secret}`), await s.propose("true", { env: { [secret]: "x" } }));
  const denied = s.propose("echo deny me");
  answers.push(await s.decide((await s.asked()).approvalId, "deny", { reason: `no, ${secret}` }), await denied);
  for (const answer of answers) assert.doesNotMatch(JSON.stringify([answer.body, answer.headers]), /S{10}/);
  await s.served.close();
  assert.doesNotMatch(readFileSync(s.served.home.audit, "utf8"), /S{10}/);
});
