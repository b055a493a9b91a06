import assert from "node:assert/strict";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Report, reportSchema } from "@countersign/protocol/records";
import WebSocket from "ws";
import { callHttp } from "../src/connect/http.ts";
import { Place } from "./countersign.ts";
import { deepTest } from "./deep-test.ts";

const HOSTILE = "<img src=x onerror=alert(1)>";

/** Allowed by the policy, by a person, denied by one, and what else a report tells. */
async function live(place: Place): Promise<void> {
  for (const command of ["true", "false"]) await place.run("exec", "--", command);
  for (const [command, answer] of [
    ["mkdir made", "approve"],
    ["mkdir never", "deny"],
  ] as const) {
    const asked = place.start(["exec", "--session", "s", "--", command]);
    await place.waiting(1);
    const [card] = JSON.parse((await place.run("pending", "--json")).stdout);
    assert.equal((await place.run(answer, card.approvalId)).code, 0);
    await asked.ended;
  }
  await place.run("pause");
  await place.run("exec", "--", "true");
  await place.run("resume");
  await place.run("token", "create", "--role", "agent", "--name", HOSTILE);
}

async function reportOf(place: Place, ...args: readonly string[]): Promise<Report> {
  const { stdout, stderr } = await place.run("report", "--json", ...args);
  assert.notEqual(stdout, "", stderr);
  return reportSchema.parse(JSON.parse(stdout));
}

function tamper(database: string, ...statements: readonly string[]): void {
  const db = new DatabaseSync(database);
  for (const name of ["update", "delete"]) db.exec(`DROP TRIGGER IF EXISTS receipt_no_${name}`);
  for (const statement of statements) db.exec(statement);
  db.close();
}

deepTest("a span, as text, as a page, as a bundle that is counted again elsewhere, and by one call", async (t) => {
  const place = new Place(t);
  const hub = await place.serve();
  await live(place);
  const span = { fromMs: Date.now() - 3_600_000, toMs: Date.now() + 3_600_000 };
  const spelled = ["--from", new Date(span.fromMs).toISOString(), "--to", new Date(span.toMs).toISOString()] as const;
  const waiting = place.start(["exec", "--", "mkdir later"]);
  await place.waiting(1);

  const report = await reportOf(place, ...spelled);
  const { figures } = report;
  assert.deepEqual([report.record.whole, report.record.trusted, report.unanswered], [true, "local", 1]);
  assert.deepEqual(figures.decided, {
    ...{ allowed: 3, denied: 2, expired: 0, cancelled: 0 },
    allowedBy: { policy: 2, person: 1 },
    deniedBy: { paused: 1, person: 1 },
    allowedRisk: { safe: 2, "needs-review": 1 },
    allowedEnforcement: figures.decided.allowedEnforcement,
  });
  assert.deepEqual(figures.waiting, { before: 0, entered: 5, left: 5, after: 0 });
  assert.deepEqual(figures.running.as, { succeeded: 2, failed: 1 });
  const [ann, ...rest] = figures.approvers;
  assert.deepEqual([ann?.assurance, ann?.allowed, ann?.denied, rest], ["device", 1, 1, []]);
  assert.ok((ann?.medianMs ?? -1) >= 0 && (ann?.slowestMs ?? -1) >= (ann?.medianMs ?? 0));

  const { url, token } = await place.hub();
  const path = `/api/v1/report?fromMs=${span.fromMs}&toMs=${span.toMs}`;
  const asked = await callHttp({ url, token }, { method: "GET", path }, reportSchema);
  assert.deepEqual([asked.value.figures, asked.value.unanswered], [figures, 1]);
  const overRpc = await callRpc(url, token, "receipts.report", span);
  assert.deepEqual(reportSchema.parse(overRpc).figures, figures);
  const backwards = await callRpc(url, token, "receipts.report", { fromMs: span.toMs, toMs: span.fromMs });
  assert.match(JSON.stringify(backwards), /-32602.*toMs/);

  await waiting.stop();
  await hub.stop();
  const [page, bundle] = [join(place.workspace, "r.html"), join(place.workspace, "r.json")];
  const told = await place.run("report", ...spelled, "--html", page, "--bundle", bundle);
  assert.equal(told.code, 0, told.stderr);
  assert.match(told.stdout, /^Every signature and link holds: \d+ receipts, \d+ of them in this span\nSigned with /);
  assert.match(told.stdout, /\n {2}decided +6 {2}= 3 allowed \+ 2 denied \+ 1 (?:cancelled|expired)\n/);
  assert.match(told.stdout, /\n- No hub from .* to the end of the span at least .*: it had been stopped\n/);
  assert.match(
    told.stdout,
    /token-created · [^\n]*madeBy: bootstrap · name: <img src=x onerror=alert\(1\)> · role: agent/,
  );
  const html = readFileSync(page, "utf8");
  assert.ok(!html.includes("<img") && html.includes("&lt;img src=x onerror=alert(1)&gt;"));
  assert.match(html, /default-src &#39;none&#39;; style-src &#39;sha256-/);

  const elsewhere = new Place(t);
  copyFileSync(bundle, join(elsewhere.workspace, "r.json"));
  assert.equal((await elsewhere.run("receipts", "verify", "r.json")).code, 3);
  const key = join(place.home, "keys", "receipts.pub.pem");
  assert.equal((await elsewhere.run("receipts", "verify", "r.json", "--trust", key)).code, 0);
  const again = await reportOf(elsewhere, "--file", "r.json", "--trust", key);
  const here = await reportOf(place, ...spelled);
  assert.deepEqual([again.figures, again.span], [here.figures, here.span]);
  assert.deepEqual([again.unanswered, again.record.trusted], [null, "given"]);
  assert.ok(again.notProved.some((line) => line.endsWith("between them none is missing.")));
  assert.equal((await elsewhere.run("report", "--file", "r.json")).code, 3);
  assert.equal((await place.run("report", "--bundle", bundle)).code, 1);
  const today = await place.run("today");
  assert.match(today.stdout, /^Today: 3 ran · 3 asked · 3 refused · 0 waiting\n +agent +allowed/);
  assert.match(today.stdout, / +agent +where +ran +failed[\s\S]*\n.*\/work +3 +1 +3 +2 /);
});

deepTest("a report of a store that was changed says so first, and counts only what came before", async (t) => {
  const place = new Place(t);
  const hub = await place.serve();
  for (let at = 0; at < 3; at += 1) await place.run("exec", "--", "true");
  const before = await reportOf(place, "--from", "1h");
  const database = join(place.home, "countersign.db");

  tamper(database, "UPDATE receipt SET at_ms = 0, type = 'paused', proposal_key = 'x' WHERE type = 'ended'");
  const indexed = await reportOf(place, "--from", "1h");
  assert.deepEqual([indexed.record.whole, indexed.figures], [true, before.figures], "no figure rests on a column");

  tamper(
    database,
    `UPDATE receipt SET raw = replace(raw, '"exitCode":0', '"exitCode":9')
      WHERE seq = (SELECT max(seq) FROM receipt WHERE instr(raw, '"exitCode":0') > 0)`,
  );
  const files = ["--html", join(place.workspace, "r.html"), "--bundle", join(place.workspace, "r.json")];
  const told = await place.run("report", "--from", "1h", ...files);
  assert.equal(told.code, 1);
  assert.match(told.stdout, /^BROKEN at receipt \d+: INVALID_SIGNATURE\n/);
  assert.match(
    readFileSync(join(place.workspace, "r.html"), "utf8"),
    /<div class="verdict bad"><strong>BROKEN at receipt/,
  );
  assert.match(told.stderr, /No bundle was written: the ledger is broken\./);
  assert.ok(!existsSync(join(place.workspace, "r.json")));
  const broken = await reportOf(place, "--from", "1h");
  assert.deepEqual([broken.record.fault?.code, broken.figures.running.as], ["INVALID_SIGNATURE", { succeeded: 2 }]);
  const { url, token } = await place.hub();
  const path = `/api/v1/report?fromMs=${Date.now() - 3_600_000}&toMs=${Date.now() + 1}`;
  const { value } = await callHttp({ url, token }, { method: "GET", path }, reportSchema);
  assert.deepEqual([value.record.fault, value.figures], [broken.record.fault, broken.figures]);
  assert.match((await place.run("today")).stdout, /^BROKEN at receipt/);
  await hub.stop();

  tamper(database, "DELETE FROM receipt WHERE seq > 5");
  const cut = await place.run("report", "--from", "1h");
  assert.match(cut.stdout, /^BROKEN at receipt 6: TRUNCATED\n/);
});

deepTest("spans that are empty, backwards or no times; files that are there; nothing to read", async (t) => {
  const place = new Place(t);
  assert.equal((await place.run("report")).code, 2);
  const hub = await place.serve();
  await hub.stop();
  const empty = await place.run("report", "--from", "2020-01-01", "--to", "2020-01-02");
  assert.equal(empty.code, 0);
  assert.match(empty.stdout, /from 2020-01-01 00:00:00\S+ up to, but not including, 2020-01-02 00:00:00/);
  assert.match(empty.stdout, /\nNOTHING IS ON RECORD IN THIS SPAN\n\nGAPS\n- The record begins at /);
  for (const args of [
    ["--from", "soon"],
    ["--from", "2026-02-30"],
    ["--to", "tomorrow"],
    ["--from", "2026-01-02", "--to", "2026-01-02"],
    ["--from", "2026-01-02", "--to", "2026-01-01"],
  ]) {
    const { code, stdout, stderr } = await place.run("report", ...args);
    assert.deepEqual([code, stdout], [2, ""], args.join(" "));
    assert.match(stderr, /is no time|--to must be after --from/);
  }
  const there = await place.run("report", "--html", join(place.home, "countersign.db"));
  assert.match(there.stderr, /already exists/);
  assert.equal(there.stdout, "");
});

function callRpc(url: string, token: string, method: string, params: object): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url.replace(/^http/, "ws"));
    socket.on("error", reject);
    socket.on("open", () => {
      socket.send(JSON.stringify({ type: "auth", token }));
      socket.send(JSON.stringify({ id: 1, method, params }));
    });
    socket.on("message", (data) => {
      const { id, result, error } = JSON.parse(String(data)) as { id?: number; result?: unknown; error?: unknown };
      if (id !== 1) return;
      socket.close();
      resolve(result ?? error);
    });
  });
}
