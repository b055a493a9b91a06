import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { openWithoutLinks, SystemError } from "@countersign/native";
import { possessions } from "../../test/support/idmap-fixture.ts";
import { type SessionBench, said, sessionBench } from "../../test/support/open-session.ts";
import { whyNoJail } from "../../test/support/small-jail.ts";
import { JailError } from "../base/jail-error.ts";
import { makeBeneath } from "../idmap/make-beneath.ts";

const skip = whyNoJail();
const SWAPS = fileURLToPath(new URL("../../test/support/swap-loop.mjs", import.meta.url));

/** Done while somebody swaps a directory for a link. That has an end before the directory is removed, which couldn't be meanwhile. */
async function whileSwapped(
  directory: string,
  { target, restMs }: { target: string; restMs: number },
  work: () => void | Promise<void>,
): Promise<void> {
  const attacker = spawn(process.execPath, [SWAPS, directory, target, `${restMs}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    await once(attacker.stdout, "data");
    await work();
  } finally {
    attacker.kill("SIGKILL");
    await once(attacker, "close");
  }
}

function outsideOf({ base }: SessionBench): string {
  const outside = join(base, "outside");
  mkdirSync(join(outside, "deep"), { recursive: true });
  writeFileSync(join(outside, "deep/secret"), "");
  return outside;
}

test("20,000 times below a directory that is swapped for a link: never by the link", { skip }, async (t) => {
  const bench = sessionBench(t);
  const outside = outsideOf(bench);
  const own = join(bench.workspace, "own");
  mkdirSync(join(own, "deep"), { recursive: true });
  const workspace = openWithoutLinks(bench.workspace);
  t.after(() => closeSync(workspace));
  const ends = { opened: 0, refused: 0 };
  await whileSwapped(own, { target: outside, restMs: 0 }, () => {
    for (let n = 0; n < 20_000; n += 1) {
      try {
        // Half of them would have to be made, wherever that is.
        const fd = makeBeneath(workspace, n % 2 === 0 ? "own/deep" : `own/deep/new-${n}`);
        const path = readlinkSync(`/proc/self/fd/${fd}`);
        assert.ok(path.startsWith(`${bench.workspace}/`), path);
        closeSync(fd);
        ends.opened += 1;
      } catch (cause) {
        const code = cause instanceof SystemError ? cause.code : (cause as NodeJS.ErrnoException).code;
        assert.ok(["ELOOP", "ENOTDIR", "ENOENT"].includes(code ?? ""), String(cause));
        ends.refused += 1;
      }
      assert.ok(n % 1_000 !== 0 || readdirSync(join(outside, "deep")).length === 1);
    }
  });
  // How often either comes first is the machine's to say.
  t.diagnostic(JSON.stringify(ends));
  assert.ok(ends.opened > 0);
  assert.deepEqual(readdirSync(outside), ["deep"]);
  assert.deepEqual(readdirSync(join(outside, "deep")), ["secret"]);
});

test("sessions around, into and onto a directory that is swapped for a link: it, or none", { skip }, async (t) => {
  const bench = sessionBench(t, "/var/tmp");
  const { workspace, open } = bench;
  const outside = outsideOf(bench);
  const own = join(workspace, "own");
  for (const path of [join(own, "deep"), join(workspace, "other")]) mkdirSync(path, { recursive: true });
  writeFileSync(join(own, "deep/mine"), "");
  const ends = { opened: 0, refused: 0 };
  const wishes = [
    { root: join(own, "deep") },
    { root: join(own, "deep"), mode: "overlay" },
    { root: join(workspace, "other"), binds: [{ source: join(own, "deep"), path: "/tmp/deep", readOnly: false }] },
    { root: workspace, binds: [{ source: join(workspace, "other"), path: join(own, "deep/new"), readOnly: false }] },
    { root: join(workspace, "other"), binds: [{ source: join(own, "deep"), readOnly: false }] },
  ] as const;
  await whileSwapped(own, { target: outside, restMs: 4 }, async () => {
    for (let n = 0; n < 60; n += 1) {
      const wish = wishes[n % wishes.length] as (typeof wishes)[number];
      try {
        const jail = await open(wish);
        const seen = await said(
          jail,
          `ls . /tmp/deep ${own}/deep 2>/dev/null; touch /tmp/deep/x ${own}/deep/x . 2>/dev/null`,
        );
        assert.ok(!seen.includes("secret"), seen.join("\n"));
        ends.opened += 1;
      } catch (cause) {
        assert.ok(cause instanceof JailError, String(cause));
        ends.refused += 1;
      }
    }
  });
  t.diagnostic(JSON.stringify(ends));
  assert.ok(ends.opened > 0);
  assert.deepEqual(readdirSync(outside), ["deep"]);
  assert.deepEqual(readdirSync(join(outside, "deep")), ["secret"]);
});

test("30 sessions opened, used and closed leave no descriptor, process or mount", { skip }, async (t) => {
  const { workspace, allowed, open } = sessionBench(t);
  const use = async () => {
    const jail = await open({
      ...{ root: join(workspace, "own"), mode: "overlay" },
      binds: [{ source: allowed, path: "/tmp/given", readOnly: true }],
    });
    assert.deepEqual(await said(jail, "echo x > y; cat y"), ["x"]);
    await jail.close();
  };
  await use();
  const before = possessions();
  for (let n = 0; n < 30; n += 1) await use();
  assert.deepEqual(possessions(), before);
});
