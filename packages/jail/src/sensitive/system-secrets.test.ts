import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type Clock, systemClock } from "@countersign/core/base";
import { rememberFor } from "@countersign/core/host/fs";
import { findSystemSecrets, makeSystemSecrets } from "./system-secrets.ts";

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "system-secrets-")));
after(() => rmSync(scratch, { recursive: true, force: true }));

test("only what exists is hidden, each once, and what a link leads to instead of the link", () => {
  mkdirSync(join(scratch, "private"));
  writeFileSync(join(scratch, "keytab"), "");
  symlinkSync("private", join(scratch, "link"));
  symlinkSync("nowhere", join(scratch, "dangling"));
  symlinkSync("loop", join(scratch, "loop"));
  const rules = ["private/**", "keytab", "link/**", "dangling", "loop", "missing", "keytab/x"].map((one) =>
    join(scratch, one),
  );
  assert.deepEqual(findSystemSecrets(rules), [
    { do: "hide", path: join(scratch, "private"), kind: "directory" },
    { do: "hide", path: join(scratch, "keytab"), kind: "file" },
  ]);
});

test("this machine's own: wildcards are spelled out; what a jail has of its own and homes are left out", () => {
  const found = makeSystemSecrets()();
  const paths = found.map(({ path }) => path);
  for (const name of readdirSync("/etc").filter((one) => /^g?shadow/.test(one)))
    assert.ok(paths.includes(`/etc/${name}`), name);
  assert.equal(paths.includes("/etc/ssl/private"), existsSync("/etc/ssl/private"));
  for (const path of paths)
    assert.doesNotMatch(path, /^\/(proc|dev|run|home|root)\/|^\/etc\/passwd$|^\/etc\/ssh\/.*\.pub$/);
});

test("an answer is asked for again when it has become old", () => {
  let now = 0;
  let asked = 0;
  const clock: Clock = { ...systemClock, monotonicMs: () => now };
  const ask = rememberFor(10, clock, () => ++asked);
  assert.deepEqual([ask(), ask()], [1, 1]);
  now = 9.9;
  assert.equal(ask(), 1);
  now = 10;
  assert.deepEqual([ask(), ask()], [2, 2]);
});
