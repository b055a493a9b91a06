import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Log, silentLog } from "@countersign/core/base";
import type { Receipt } from "@countersign/receipts";
import { startRecorder } from "@countersign/recorder";
import { checkLedger, type FrameRecord, openSqliteStore, openStoreToRead } from "@countersign/store";
import { ReportCounter } from "../../src/history/report/report-counter.ts";
import { serve } from "../../src/serve.ts";
import {
  type Emitter,
  emitted,
  frame,
  openEmitter,
  type Recording,
  startRecording,
  verifiedReceipts,
} from "../support/emitter-fixture.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { openHub } from "../support/open-hub.ts";
import { wholeLedger } from "../support/remote-recorder-fixture.ts";
import { eventually, scratch, startServing } from "../support/serve-fixture.ts";

function codesLogged(): { log: Log; codes: string[] } {
  const codes: string[] = [];
  const note = (fields: object) => {
    if ("code" in fields) codes.push(String(fields.code));
  };
  return { log: { info: () => undefined, warn: note, error: note }, codes };
}

const keyOf = ({ credentialSubject: { action } }: Receipt) => action.idempotency_key;
const droppedIn = (receipts: readonly Receipt[]) =>
  receipts.reduce((sum, { credentialSubject: { action } }) => sum + (action.emitter_metadata?.drop_count ?? 0), 0);

/** Sends one, waits for its answer. */
function asker(emitter: Emitter): (set: object) => ReturnType<Emitter["answers"]> {
  let asked = 0;
  return async (set) => {
    emitter.send(frame({ ack: true, ...set }));
    asked += 1;
    return (await emitter.answers(asked)).slice(-1);
  };
}

/** What was answered is there once and in order; what wasn't and wasn't to be answered is told as dropped. */
async function assertAccounted(s: Recording, told: { readonly kept: readonly string[]; readonly lost: number }) {
  const all = await emitted(s);
  assert.deepEqual(
    all.flatMap((receipt) => keyOf(receipt) ?? []),
    told.kept,
  );
  assert.equal(droppedIn(all), told.lost);
}

/** While nothing can be written: refused with a code, told once, and on the same connection it goes on afterwards. */
async function goesOnAfter(
  t: TestContext,
  s: Recording,
  fault: { begin(): void; end(): void; codes: readonly string[] },
) {
  const [emitter, other] = [await openEmitter(t, s.path), await openEmitter(t, s.path)];
  const ask = asker(emitter);
  const kept: string[] = [];
  const input = "x";
  for (let n = 0; n < 5; n += 1) {
    await ask({ idempotency_key: `before-${n}`, input });
    kept.push(`before-${n}`);
  }
  fault.begin();
  const refused: string[] = [];
  // A full disk has a few bytes left, in pages that are there already.
  for (let n = 0; n < 5_000 && refused.length < 3; n += 1) {
    const [answer] = await ask({ idempotency_key: `during-${n}`, input });
    if (answer?.error) refused.push(`during-${n}`);
    else kept.push(`during-${n}`);
    if (answer?.error) assert.equal(answer.error.code, "NOT_RECORDED");
  }
  assert.equal(refused.length, 3, "it was refused in the end");
  other.send(frame({ drop_count: 2 }), frame());
  await eventually(() => s.counted("NOT_RECORDED") === 5);
  assert.deepEqual(fault.codes, ["NOT_RECORDED", "NOT_RECORDED"], "one line for each connection");
  fault.end();
  const [again] = await ask({ idempotency_key: refused[0], input });
  assert.ok(again?.seq, "the same key, the same connection");
  kept.push(refused[0] as string);
  // Three that nobody waited for, and the two that one of them told of.
  await assertAccounted(s, { kept, lost: 4 });
}

test("frames on a full disk: refused, counted, and with space again it goes on", async (t) => {
  const { dir } = scratch(t);
  const homeDir = join(dir, "small");
  mkdirSync(homeDir, { mode: 0o700 });
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=3m,mode=0700", "tmpfs", homeDir]);
  if (mounted.status !== 0) return t.skip("needs root to mount a small tmpfs: run as root");
  try {
    const { log, codes } = codesLogged();
    const s = await startRecording(t, { homeDir, log });
    const ballast = join(homeDir, "ballast");
    await goesOnAfter(t, s, {
      begin: () => void spawnSync("dd", ["if=/dev/zero", `of=${ballast}`, "bs=4096"]),
      end: () => rmSync(ballast, { force: true }),
      codes,
    });
    await s.close();
  } finally {
    spawnSync("umount", ["--lazy", homeDir]);
  }
});

interface Fault {
  begin(): void;
  end(): void;
}

/** Not even who has them open writes to them any more. Undone in any case, or nobody could remove them. */
async function withImmutable(
  t: TestContext,
  paths: readonly string[],
  work: (fault: Fault) => Promise<void>,
): Promise<void> {
  const set = (flag: string) => spawnSync("chattr", [flag, ...paths.filter((path) => existsSync(path))]);
  try {
    if (!holdsOpenFiles(paths[0] as string)) return t.skip("needs root and chattr +i that holds open files: use ext4");
    await work({ begin: () => void set("+i"), end: () => void set("-i") });
  } finally {
    set("-i");
  }
}

/** Some file systems only keep it from being opened again. */
function holdsOpenFiles(beside: string): boolean {
  const path = `${beside}.probe`;
  const file = openSync(path, "w");
  try {
    spawnSync("chattr", ["+i", path]);
    writeSync(file, "x");
    return false;
  } catch {
    return true;
  } finally {
    closeSync(file);
    spawnSync("chattr", ["-i", path]);
    rmSync(path, { force: true });
  }
}

test("frames while the database is read-only: refused, counted, and afterwards it goes on", async (t) => {
  const { log, codes } = codesLogged();
  const s = await startRecording(t, { log });
  await withImmutable(t, [s.database, `${s.database}-wal`], (fault) => goesOnAfter(t, s, { ...fault, codes }));
});

test("a hub whose database becomes read-only runs nothing, and goes on afterwards", async (t) => {
  const s = await startServing(t, { profile: { security: "full", ask: "off" } });
  const { database } = s.served.home;
  const marker = join(s.workspace, "marker");
  await withImmutable(t, [database, `${database}-wal`], async (fault) => {
    fault.begin();
    const { body } = await s.propose(`touch ${marker}`);
    assert.match(body.error?.message ?? "", /^Nothing was run, because it could not be recorded/);
    assert.ok(!existsSync(marker));
    fault.end();
    assert.equal((await s.propose(`touch ${marker}`)).body.kind, "exited");
    await s.served.close();
    await wholeLedger(s.homeDir);
  });
});

test("a database that may only be read isn't begun with", async (t) => {
  const s = await startRecording(t);
  await s.close();
  const before = statSync(s.database).size;
  await withImmutable(t, [s.database], async (fault) => {
    fault.begin();
    const started = startRecorder({ homeDir: s.homeDir, log: silentLog });
    t.after(async () => await (await started.catch(() => undefined))?.close());
    await assert.rejects(started, { code: "STORE_UNUSABLE" });
  });
  assert.equal(statSync(s.database).size, before);
});

const DAY_MS = 86_400_000;

/** As it was written, and whether every sequence goes up by one in its chain. */
async function datesIn(s: Pick<Recording, "database">): Promise<number[]> {
  const receipts = await verifiedReceipts(s);
  const tips = new Map<string, number>();
  for (const { credentialSubject } of receipts) {
    const { chain_id, sequence } = credentialSubject.chain;
    assert.equal(sequence, (tips.get(chain_id) ?? 0) + 1);
    tips.set(chain_id, sequence);
  }
  return receipts.map(({ issuanceDate }) => Date.parse(issuanceDate));
}

test("a clock that goes back: frames are dated as it says and linked as they came, and quotas don't begin anew", async (t) => {
  const clock = new FakeClock();
  const limits = { emitterChainsPerDay: 1, emitterFrameBurst: 4, emitterFramesPerSecond: 1e-6 };
  const emitters = [{ uid: process.getuid?.() ?? 0, role: "relay" }];
  const s = await startRecording(t, { clock, limits, receipts: { emitters } });
  const ask = asker(await openEmitter(t, s.path));
  const ofSandbox = (sandbox_id: string) => ({
    ...{ channel: "opensandbox_execd", action_type: "system.command.execute", binding: { sandbox_id } },
  });
  assert.ok((await ask(ofSandbox("a")))[0]?.seq);
  const before = clock.wallMs();
  clock.setWall(-2 * DAY_MS);
  assert.ok((await ask(ofSandbox("a")))[0]?.seq);
  assert.equal((await ask(ofSandbox("b")))[0]?.error?.code, "TOO_MANY_CHAINS", "what was begun later counts too");
  clock.setWall(4 * DAY_MS);
  assert.ok((await ask(ofSandbox("a")))[0]?.seq);
  assert.equal((await ask(ofSandbox("a")))[0]?.error?.code, "TOO_MANY_FRAMES", "no clock on the wall fills a bucket");
  const [opened, ...dates] = await datesIn(s);
  assert.deepEqual([opened, ...dates], [before, before, before - 2 * DAY_MS, before + 2 * DAY_MS]);
});

test("a clock that goes back under a hub: its entries keep their order, and a report says where", async (t) => {
  const hub = await openHub(t, { profile: { security: "full", ask: "off" } });
  const before = hub.clock.wallMs();
  assert.equal((await hub.propose("true")).kind, "exited");
  hub.clock.setWall(-DAY_MS);
  assert.equal((await hub.propose("true")).kind, "exited");
  await hub.restart();
  assert.equal((await hub.propose("true")).kind, "exited");
  await hub.hub.close();
  await hub.store.close();
  const dates = await datesIn({ database: hub.home.database });
  const [earliest = 0] = dates.toSorted();
  assert.ok(earliest < before - DAY_MS / 2 && dates.includes(before));

  const store = await openStoreToRead(hub.home.database);
  assert.ok(store);
  const counter = new ReportCounter({ fromMs: 0, toMs: before + DAY_MS });
  const receipts = await store.receipts({ afterSeq: 0, limit: 1_000 });
  for (const receipt of receipts) counter.note(receipt);
  await store.close();
  const { gaps, running, waiting } = counter.figures();
  const back = dates.findIndex((date, at) => date < (dates[at - 1] ?? 0));
  assert.deepEqual(gaps.clock, { count: 1, largestMs: DAY_MS, firstSeq: back + 1 });
  assert.deepEqual([running.left, waiting.left], [3, 3]);
});

test("two recorders on one ledger: the second refuses, whichever they are, and the first goes on", async (t) => {
  const place = scratch(t);
  const recorder = await startRecorder({ homeDir: place.homeDir, log: silentLog });
  t.after(() => recorder.close());
  const again = startRecorder({ homeDir: place.homeDir, log: silentLog });
  await assert.rejects(again, { code: "ALREADY_RUNNING" });
  const hub = serve({ homeDir: place.homeDir, cwd: place.workspace, port: 0, log: silentLog });
  await assert.rejects(hub, { code: "ALREADY_RUNNING" });
  const ask = asker(await openEmitter(t, recorder.home.recorderSocket));
  assert.ok((await ask({}))[0]?.seq);
  await recorder.close();

  const s = await startServing(t, { at: place });
  const third = startRecorder({ homeDir: place.homeDir, log: silentLog });
  await assert.rejects(third, { code: "ALREADY_RUNNING" });
  assert.ok((await asker(await openEmitter(t, s.served.home.recorderSocket))({}))[0]?.seq);
});

test("even past the lock two writers can't fork a chain: what is answered is there once, and all of it verifies", async (t) => {
  const { dir } = scratch(t);
  const path = join(dir, "countersign.db");
  const stores = [await openSqliteStore(path), await openSqliteStore(path)];
  const record = (writer: number, n: number): FrameRecord => ({
    ...{
      emitter: `uid:${writer}`,
      chain: "uid:1",
      idempotencyKey: `${writer}-${n}`,
      atMs: 1_000 + n,
      chainsPerDay: 10,
    },
    receipts: [receiptDraft(n)],
  });
  const answers = await Promise.allSettled(
    stores.flatMap((store, writer) => Array.from({ length: 300 }, (_, n) => store.record(record(writer, n)))),
  );
  const kept = answers.flatMap((answer) =>
    answer.status === "fulfilled" && "seq" in answer.value ? [answer.value] : [],
  );
  for (const store of stores) await store.close();
  const reader = await openStoreToRead(path);
  assert.ok(reader);
  t.after(() => reader.close());
  for (const { seq, hash } of kept) assert.equal((await reader.receiptBy({ seq }))?.hash, hash);
  const receipts = await reader.receipts({ afterSeq: 0, limit: 1_000 });
  const check = await checkLedger(
    (async function* () {
      yield* receipts;
    })(),
  );
  assert.equal(check.whole, true, JSON.stringify(check));
  assert.ok(kept.length > 0 && receipts.length === kept.length + 1, `${kept.length} of 600`);
});

function receiptDraft(n: number): FrameRecord["receipts"][0] {
  const at = new Date(1_000 + n).toISOString();
  return {
    id: `urn:receipt:${crypto.randomUUID()}`,
    issuanceDate: at,
    issuer: { runtime: { channel: "mcp", attestation: "emitter-asserted" } },
    credentialSubject: {
      principal: { id: "uid:1" },
      action: { id: `act_${crypto.randomUUID()}`, type: "mcp.a.b", risk_level: "medium", timestamp: at },
      outcome: { status: "success" },
    },
  };
}
