import assert from "node:assert/strict";
import { existsSync, linkSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { AuditEvent } from "@countersign/store";
import { openHub } from "../../../test/support/open-hub.ts";
import { AuditLogger } from "./audit-logger.ts";

const event = (details: Record<string, unknown>): AuditEvent => ({
  ts: 1,
  type: "tool_exec",
  sessionKey: "s",
  details,
});

test("AuditLogger appends redacted lines in order, with mode 600", async (t) => {
  const { workspace } = await openHub(t);
  const path = join(workspace, "log.jsonl");
  writeFileSync(path, "before\n", { mode: 0o600 });
  const log = new AuditLogger(path, true);
  const secret = `sk-ant-${"k".repeat(40)}`;
  const nested = { list: [{ toJSON: () => `key ${secret}` }], line: "a\nb" };
  await Promise.all([log.append(event({ n: 1 })), log.append(event(nested)), log.append(event({ n: 3 }))]);
  const [before, ...lines] = readFileSync(path, "utf8").split("\n");
  assert.equal(before, "before");
  assert.deepEqual(
    lines.map((line) => line && JSON.parse(line).details),
    [{ n: 1 }, { list: ["key [REDACTED]"], line: "a\nb" }, { n: 3 }, ""],
  );
  const fresh = join(workspace, "fresh.jsonl");
  await new AuditLogger(fresh, true).append(event({}));
  assert.equal(statSync(fresh).mode & 0o777, 0o600);
});

test("AuditLogger does nothing when disabled", async (t) => {
  const { workspace, home } = await openHub(t);
  await new AuditLogger(join(workspace, "log.jsonl"), false).append(event({}));
  await new AuditLogger(home.audit, false).append(event({}));
  assert.ok(!existsSync(join(workspace, "log.jsonl")));
});

test("AuditLogger refuses the hub's own file by any path", async (t) => {
  const { workspace, home, hub } = await openHub(t);
  const told = await hub.auditTail(10);
  const before = readFileSync(home.audit, "utf8");
  symlinkSync(home.audit, join(workspace, "link"));
  symlinkSync(home.dir, join(workspace, "home"));
  linkSync(home.audit, join(workspace, "hard"));
  mkdirSync(join(home.dir, "sub"));
  const paths = [home.audit, join(workspace, "link"), join(workspace, "home/audit.jsonl"), join(home.dir, "sub/x")];
  for (const path of [...paths, join(workspace, "hard")]) {
    await assert.rejects(new AuditLogger(path, true).append(event({ seq: 1e9 })), { code: "OUR_FILE" }, path);
  }
  assert.equal(readFileSync(home.audit, "utf8"), before);
  assert.deepEqual(await hub.auditTail(10), told);
});

test("AuditLogger refuses an invalid event and keeps all other lines", async (t) => {
  const { workspace } = await openHub(t);
  const path = join(workspace, "log.jsonl");
  const log = new AuditLogger(path, true);
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const table: [unknown, string][] = [
    [undefined, "INVALID_INPUT"],
    [{ ...event({}), type: "other" }, "INVALID_INPUT"],
    [{ ...event({}), ts: Number.NaN }, "INVALID_INPUT"],
    [{ ...event({}), more: 1 }, "INVALID_INPUT"],
    [event(cycle), "INVALID_INPUT"],
    [event({ n: 1n }), "INVALID_INPUT"],
    [event({ text: "x".repeat(2 * 1024 * 1024) }), "TOO_LARGE"],
  ];
  for (const [given, code] of table) await assert.rejects(log.append(given as AuditEvent), { code });
  await log.append(event({ n: 1 }));
  assert.equal(readFileSync(path, "utf8").split("\n").length, 2);
  mkdirSync(join(workspace, "dir"));
  await assert.rejects(new AuditLogger(join(workspace, "dir"), true).append(event({})), { code: "EISDIR" });
});
