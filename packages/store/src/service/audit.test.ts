import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Clock, silentLog, systemClock } from "@countersign/core/base";
import type { Json } from "@countersign/receipts";
import { FakeClock } from "../../../hub/test/support/fake-clock.ts";
import { keep, proposal } from "../../test/suite/samples.ts";
import { tempDirectory } from "../../test/temp-store.ts";
import type { Store } from "../contract/store.ts";
import { openSqliteStore } from "../sqlite/open-sqlite-store.ts";
import { Audit, type AuditEvent } from "./audit.ts";

async function openStore(t: TestContext, directory = tempDirectory(t)): Promise<{ store: Store; path: string }> {
  const store = await openSqliteStore(join(directory, "x.db"));
  t.after(() => store.close());
  return { store, path: join(directory, "audit.jsonl") };
}

const open = (path: string, store: Store, clock: Clock = systemClock) =>
  Audit.open(path, { store, log: silentLog, clock });

/** Puts an ended proposal into the store. */
async function ended(
  store: Store,
  key: string,
  body: { readonly [key: string]: Json },
  command = `echo ${key}`,
): Promise<void> {
  await keep(
    store,
    { op: "insert-proposal", proposal: proposal({ key, command }) },
    { op: "append", draft: { type: "ended", sessionId: "s1", proposalKey: key, atMs: 5_000, body } },
  );
}

function lines(path: string): string[] {
  return readFileSync(path, "utf8").split("\n").slice(0, -1);
}

function events(path: string): AuditEvent[] {
  return lines(path).map((line) => JSON.parse(line) as AuditEvent);
}

const seqs = (path: string) => events(path).map((event) => event.details.seq);

async function caughtUp(audit: Audit, path: string, count: number): Promise<void> {
  audit.follow();
  await appeared(audit, path, count);
}

async function appeared(audit: Audit, path: string, count: number): Promise<void> {
  for (let tries = 0; tries < 30_000; tries += 1) {
    if (audit.problem === undefined && lines(path).length >= count) return;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  assert.fail(`audit.jsonl never caught up: ${audit.problem}`);
}

test("what ran is tool_exec, what didn't is tool_denied, in seed 003's shape and without secrets", async (t) => {
  const { store, path } = await openStore(t);
  await keep(store, { op: "append", draft: { type: "hub-up", sessionId: null, proposalKey: null, atMs: 1, body: {} } });
  const kinds = [
    "exited",
    "signalled",
    "timed-out",
    "aborted",
    "interrupted",
    "denied",
    "expired",
    "cancelled",
    "jail-refused",
    "not-started",
  ];
  for (const kind of kinds) await ended(store, kind, { kind });
  await ended(store, "secret", { kind: "denied", reason: "OPENAI_API_KEY=x" }, `curl -H 'Bearer ${"t".repeat(30)}'`);
  await keep(store, {
    op: "append",
    draft: {
      type: "policy-changed",
      sessionId: null,
      proposalKey: null,
      atMs: 6_000,
      body: { profile: "default", by: "person" },
    },
  });
  const audit = await open(path, store);
  await audit.close();
  const all = events(path);
  assert.deepEqual(
    all.map((event) => [event.type, event.details.kind]),
    [
      ...kinds.map((kind, index) => [index < 5 ? "tool_exec" : "tool_denied", kind]),
      ["tool_denied", "denied"],
      ["config_change", undefined],
    ],
  );
  const [head, secret] = [
    (await store.ledger({ afterSeq: 2, limit: 1 }))[0],
    (await store.ledger({ afterSeq: 12, limit: 1 }))[0],
  ];
  assert.deepEqual(all[0], {
    ts: 5_000,
    type: "tool_exec",
    sessionKey: "s1",
    details: { command: "echo exited", cwd: "/work", kind: "exited", seq: 3, receipt: head?.hash },
  });
  assert.deepEqual(all[10]?.details, {
    command: "curl -H 'Bearer [REDACTED: 30 characters]'",
    cwd: "/work",
    kind: "denied",
    reason: "OPENAI_API_KEY=[REDACTED]",
    seq: 13,
    receipt: secret?.hash,
  });
  assert.deepEqual(Object.keys(all[11] ?? {}), ["ts", "type", "details"]);
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test("a restart goes on where the file ends, past a torn line, and writes nothing twice", async (t) => {
  const { store, path } = await openStore(t);
  await ended(store, "a", { kind: "exited" });
  await ended(store, "b", { kind: "exited" });
  await (await open(path, store)).close();
  const whole = readFileSync(path, "utf8");
  await (await open(path, store)).close();
  assert.equal(readFileSync(path, "utf8"), whole);
  truncateSync(path, whole.length - 10);
  await ended(store, "c", { kind: "exited" });
  await (await open(path, store)).close();
  const [first, torn, ...rest] = lines(path);
  assert.equal(`${first}\n${torn}`, whole.slice(0, -10));
  assert.deepEqual(
    rest.map((line) => (JSON.parse(line) as AuditEvent).details.seq),
    [3, 4],
  );
  appendFileSync(path, "not json\n\n{}\n");
  await (await open(path, store)).close();
  assert.equal(lines(path).length, 7);
});

test("a line longer than what is read at first is still found at the next start", async (t) => {
  const { store, path } = await openStore(t);
  await ended(store, "short", { kind: "exited" });
  await ended(store, "long", { kind: "exited" }, `echo ${"\u0001".repeat(130_000)}`);
  for (let starts = 0; starts < 3; starts += 1) await (await open(path, store)).close();
  assert.deepEqual(seqs(path), [2, 3]);
});

test("it follows the ledger while it grows, in batches", async (t) => {
  const { store, path } = await openStore(t);
  const audit = await open(path, store);
  store.onAppend(() => audit.follow());
  await Promise.all(Array.from({ length: 1_200 }, (_, n) => ended(store, `k${n}`, { kind: "exited" })));
  await audit.close();
  assert.deepEqual(
    seqs(path),
    Array.from({ length: 1_200 }, (_, n) => n + 2),
  );
});

test("what comes within a moment is written together, without being asked for", async (t) => {
  const { store, path } = await openStore(t);
  const clock = new FakeClock();
  const audit = await open(path, store, clock);
  store.onAppend(() => audit.follow());
  await ended(store, "a", { kind: "exited" });
  await ended(store, "b", { kind: "exited" });
  assert.deepEqual(seqs(path), []);
  clock.advance(1_000);
  await appeared(audit, path, 2);
  await ended(store, "c", { kind: "exited" });
  clock.advance(1_000);
  await appeared(audit, path, 3);
  await audit.close();
  assert.deepEqual(seqs(path), [2, 3, 4]);
});

test("a ledger that is shorter than the file has seen is told about", async (t) => {
  const { store, path } = await openStore(t);
  await ended(store, "a", { kind: "exited" });
  writeFileSync(path, `${JSON.stringify({ ts: 1, type: "tool_exec", sessionKey: "s", details: { seq: 99 } })}\n`, {
    mode: 0o644,
  });
  const audit = await open(path, store);
  assert.match(audit.setback ?? "", /knows 99 entries and the ledger only 2/);
  await ended(store, "b", { kind: "exited" });
  await audit.close();
  assert.deepEqual(seqs(path), [99, 3]);
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test("after a full disk it catches up, with every line once and whole", async (t) => {
  const directory = tempDirectory(t);
  const small = join(directory, "small");
  mkdirSync(small);
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", small]);
  if (mounted.status !== 0) return t.skip("needs root to mount a small tmpfs: run as root");
  try {
    await fillAndFree(await openStore(t, directory), small);
  } finally {
    spawnSync("umount", ["--lazy", small]);
  }
});

async function fillAndFree({ store }: { store: Store }, small: string): Promise<void> {
  const path = join(small, "audit.jsonl");
  const ballast = join(small, "ballast");
  writeFileSync(ballast, Buffer.alloc(200 * 1024));
  const audit = await open(path, store);
  for (let n = 1; n <= 100; n += 1) await ended(store, `k${n}`, { kind: "exited", reason: "r".repeat(1_000) });
  for (let tries = 0; tries < 3; tries += 1) {
    audit.follow();
    while (audit.problem === undefined) await new Promise((resolve) => setTimeout(resolve, 2));
    assert.match(audit.problem, /^audit\.jsonl is behind: .*ENOSPC/);
    audit.problem = undefined;
  }
  rmSync(ballast);
  await caughtUp(audit, path, 100);
  await audit.close();
  assert.deepEqual(
    seqs(path),
    Array.from({ length: 100 }, (_, n) => n + 2),
  );
}
