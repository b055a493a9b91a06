import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Place } from "./countersign.ts";

test("a full disk is told by countersign and doctor while it lasts; pause --kill says what it did", async (t) => {
  const place = new Place(t);
  mkdirSync(place.home, { mode: 0o700 });
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=6m,mode=0700", "tmpfs", place.home]);
  if (mounted.status !== 0) return t.skip("needs root to mount a small tmpfs: run as root");
  try {
    mkdirSync(join(place.home, "profiles/default"), { recursive: true, mode: 0o700 });
    const execApproval = { security: "full", ask: "off" };
    writeFileSync(join(place.home, "profiles/default/config.json"), JSON.stringify({ execApproval }), { mode: 0o600 });
    const hub = await place.serve();
    assert.doesNotMatch((await place.run()).stdout, /FULL/);
    place.start(["exec", "--", "sleep 1000"]);
    await place.running(1);
    const ballast = join(place.home, "ballast");
    spawnSync("dd", ["if=/dev/zero", `of=${ballast}`, "bs=4096"]);
    // Until the store has no room left in its own files either.
    await place.until(async () => (await place.run("exec", "--", `true ${"x".repeat(60_000)}`)).code === 125);
    await place.until(async () => (await place.run("exec", "--", "true")).code === 125);

    assert.match(
      (await place.run()).stdout,
      /^Warning: Everything new is denied, because it can't be put on record: FULL\. /m,
    );
    const ill = await place.run("doctor");
    assert.equal(ill.code, 1, ill.stdout + ill.stderr);
    assert.match(ill.stdout, /^FAILS {3}record: .*full.*\n {8}→ free some space/m);
    const { code, stdout, stderr } = await place.run("pause", "--kill");
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Paused: .*, 1 running was ended\.\nThe pause can't be put on record: FULL: /);

    rmSync(ballast);
    await place.until(async () => !(await place.run()).stdout.includes("FULL"));
    assert.match((await place.run("doctor")).stdout, /^ok {6}record: /m);
    assert.doesNotMatch((await place.run("pause")).stdout, /can't be put on record/);
    await hub.stop();
  } finally {
    spawnSync("umount", ["--lazy", place.home]);
  }
});
