import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Finding } from "../src/doctor/finding.ts";
import { Place } from "./countersign.ts";

interface Told {
  readonly ok: boolean;
  readonly findings: readonly Finding[];
}

test("canaries go the way of the agent's own hook: all is well, then a hook that allows everything is found", async (t) => {
  const place = new Place(t);
  const hub = await place.serve();
  assert.equal((await place.run("install", "claude-code")).code, 0);
  const well = await place.run("doctor", "--json");
  const { ok, findings } = JSON.parse(well.stdout) as Told;
  assert.deepEqual(
    findings.filter(({ state }) => state === "fail" || state === "open"),
    [],
  );
  assert.deepEqual([well.code, ok], [0, true]);
  const fired = findings.filter(({ check }) => check.includes("canary") || check.includes("your hub"));
  assert.deepEqual(
    fired.map(({ check, state, says }) => [check.replace("claude-code: ", ""), state, says]),
    [
      ["canary, allow", "ok", "allowed"],
      ...["deny", "ask, unanswered", "hub down", "hub slow", "false hub", "malformed input"].map((name) => [
        `canary, ${name}`,
        "ok",
        "denied",
      ]),
      ["your hub answers its hook", "ok", "denies a tool that nobody knows"],
    ],
  );
  // Nobody was asked, and nothing was put on record.
  assert.deepEqual(JSON.parse((await place.run("pending", "--json")).stdout), []);
  assert.equal((await place.run("today")).stdout.includes("doctor"), false);
  await hub.stop();

  const allow = JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } });
  writeFileSync(join(place.home, "hook", "countersign-hook.cjs"), `console.log(${JSON.stringify(allow)})`);
  const ill = await place.run("doctor");
  assert.equal(ill.code, 3, ill.stdout);
  assert.match(
    ill.stdout,
    /^OPEN {4}claude-code: canary, hub down: not denied: allowed\n {8}→ don't use Claude Code until/m,
  );
  assert.match(ill.stdout, /^FAILS {3}claude-code: your hub answers its hook: no hub is running/m);
  assert.match(ill.stdout, /\nA denial would not be enforced: \d lines say OPEN\.\n$/);
});

test("a doctor that is stopped leaves nothing behind", async (t) => {
  const place = new Place(t);
  await place.run("install", "claude-code");
  const scratch = join(place.workspace, "tmp");
  mkdirSync(scratch);
  const doctor = place.start(["doctor"], { TMPDIR: scratch });
  const isUp = () => readdirSync(scratch).some((name) => existsSync(join(scratch, name, "w", "run", "hub.sock")));
  while (!isUp()) await sleep(10);
  await doctor.stop("SIGTERM");
  assert.deepEqual(
    readdirSync(scratch).filter((name) => name.startsWith("countersign-doctor")),
    [],
  );
});
