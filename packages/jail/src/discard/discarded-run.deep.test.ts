import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { alsoAsOrdinaryUser } from "../../../hub/test/support/as-ordinary-user.ts";
import { leftovers, openBench, SCRATCH_BYTES, treeHash } from "../../../hub/test/support/preview-fixture.ts";
import { DiscardSandboxes } from "./discard-sandboxes.ts";

const HERE = fileURLToPath(import.meta.url);
const MOUNTING = "COUNTERSIGN_TEST_MOUNTING";

/** A workspace with one of everything. */
function furnish(workspace: string): void {
  const write = (name: string, text: string | Buffer) => {
    mkdirSync(dirname(join(workspace, name)), { recursive: true });
    writeFileSync(join(workspace, name), text);
  };
  write("text", "one\ntwo\nthree\n");
  write("same", "same\n");
  write("gone", "gone\n");
  write("script", "#!/bin/sh\necho hi\n");
  write("binary", Buffer.from([0, 1, 2, 255]));
  write("big", Buffer.alloc(1024 * 1024, "x"));
  write("full/a", "a\n");
  write("full/b/c", "c\n");
  write("again/old", "old\n");
  write("became/inner", "inner\n");
  write(".env", "TOKEN=secret\n");
  symlinkSync("text", join(workspace, "link"));
  symlinkSync("/etc", join(workspace, "way-out"));
}

const TABLE: [name: string, command: string, short: string[]][] = [
  ["nothing", "cat text; ls -la", []],
  ["touched only", "touch text same; echo same > same; chmod 644 same", []],
  [
    "created",
    "echo new > new; mkdir -p deep/er; echo x > deep/er/file",
    ["created deep", "created deep/er", "created deep/er/file", "created new"],
  ],
  ["changed", "echo four >> text", ["changed text"]],
  ["replaced", "echo other > .new && mv .new text", ["changed text"]],
  [
    "deleted",
    "rm gone; rm -r full",
    ["deleted full", "deleted full/a", "deleted full/b", "deleted full/b/c", "deleted gone"],
  ],
  ["renamed file", "mv gone there", ["deleted gone", "created there"]],
  [
    "renamed directory",
    "mv full moved",
    [
      "deleted full",
      "deleted full/a",
      "deleted full/b",
      "deleted full/b/c",
      "created moved",
      "created moved/a",
      "created moved/b",
      "created moved/b/c",
    ],
  ],
  [
    "removed and made again",
    "rm -r again && mkdir again && echo new > again/new",
    ["created again/new", "deleted again/old"],
  ],
  ["mode", "chmod 755 script; chmod 700 full", ["changed full", "changed script"]],
  ["its own mode", "chmod 711 .", ["changed "]],
  ["link", "ln -sfn same link; ln -s /etc/passwd out", ["changed link", "created out"]],
  [
    "another type",
    "rm -r became && echo x > became; rm gone && mkdir gone && echo y > gone/in",
    ["changed became", "deleted became/inner", "changed gone", "created gone/in"],
  ],
  [
    "behind a link that was there",
    "rm way-out && mkdir way-out && echo x > way-out/passwd",
    ["changed way-out", "created way-out/passwd"],
  ],
  ["odd names", "echo x > $'new\\nline'; echo y > $'\\xff'", ["created new\nline", "created \uFFFD"]],
  ["pipes and sockets", "mkfifo pipe", ["created pipe"]],
];

const DONE = { end: { kind: "exited", exitCode: 0 }, stderr: "" } as const;

for (const how of ["overlay", "copy"] as const) {
  const name = `${how} as ${process.getuid?.() === 0 ? "root" : "an ordinary user"}`;

  test(`${name}: what was made, changed and removed is told, and the workspace stays as it is`, async (t) => {
    const bench = await openBench(t, how);
    if (!bench) return;
    for (const [title] of TABLE) furnish(join(bench.workspace, title));
    const hash = treeHash(bench.workspace);
    const before = leftovers();
    const seen = await bench.run(TABLE.map(([title, command]) => `(cd "${title}" && ${command})`).join("\n"));
    const { end, stderr, truncated } = seen;
    assert.deepEqual({ end, stderr, truncated, how: seen.how }, { ...DONE, truncated: false, how });
    for (const [title, , short] of TABLE) {
      const found = seen.short.filter((text) => new RegExp(`^\\w+ ${title}(?:/|$)`).test(text));
      assert.deepEqual(
        [title, ...found],
        [title, ...short.map((text) => text.replace(" ", ` ${title}/`).replace(/\/$/, ""))],
      );
    }
    assert.equal(treeHash(bench.workspace), hash);
    assert.deepEqual(leftovers(), before);
    assert.deepEqual(readdirSync(bench.home.run), ["looks.jsonl", "placeholders", "placeholders.json"]);
  });

  test(`${name}: states and diffs, also of what can't be compared`, async (t) => {
    const bench = await openBench(t, how);
    if (!bench) return;
    furnish(bench.workspace);
    const commands = [
      "sed -i s/two/2/ text; printf '\\0' >> binary; echo >> big; ln -sfn same link; rm gone",
      "echo 'ANTHROPIC_API_KEY=sk-ant-0123456789012345678901' > key; printf 'a\\x1b[2Jb\\n' > escape; printf x > bare",
      "head -c 3000000 /dev/zero > zeros; echo closed > closed; chmod 000 closed",
    ];
    const { changes } = await bench.run(commands.join("\n"));
    const file = (mode: string, size: number) => ({ type: "file", mode, size });
    const at = (name: string) => join(bench.workspace, name);
    const root = process.getuid?.() === 0;
    assert.deepEqual(changes, [
      { path: at("bare"), change: "created", after: file("644", 1), diff: "+x\n\\ No newline at end of file" },
      {
        path: at("big"),
        change: "changed",
        before: file("644", 1048576),
        after: file("644", 1048577),
        undiffed: "too-large",
      },
      { path: at("binary"), change: "changed", before: file("644", 4), after: file("644", 5), undiffed: "binary" },
      {
        path: at("closed"),
        change: "created",
        after: file("0", 7),
        ...(root ? { diff: "+closed" } : { undiffed: "unreadable" }),
      },
      { path: at("escape"), change: "created", after: file("644", 7), diff: "+a<U+001B>[2Jb" },
      { path: at("gone"), change: "deleted", before: file("644", 5) },
      { path: at("key"), change: "created", after: file("644", 48), diff: "+ANTHROPIC_API_KEY=[REDACTED]" },
      {
        path: at("link"),
        change: "changed",
        before: { type: "link", mode: "777", size: 4, target: "text" },
        after: { type: "link", mode: "777", size: 4, target: "same" },
      },
      {
        path: at("text"),
        change: "changed",
        before: file("644", 14),
        after: file("644", 12),
        diff: "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three",
      },
      { path: at("zeros"), change: "created", after: file("644", 3000000), undiffed: "too-large" },
    ]);
  });

  test(`${name}: fails, is killed, forks, has no network, sees no secrets, and plants nothing`, async (t) => {
    const bench = await openBench(t, how);
    if (!bench) return;
    furnish(bench.workspace);
    const hash = treeHash(bench.workspace);
    const failed = await bench.run("echo x > made; echo no >&2; exit 3");
    assert.deepEqual(
      [failed.end, failed.stderr, failed.short],
      [{ kind: "exited", exitCode: 3 }, "no\n", ["created made"]],
    );
    const slow = await bench.run("echo x > made; trap '' TERM; while :; do sleep 0.05; done", { timeoutMs: 500 });
    assert.deepEqual([slow.end, slow.short], [{ kind: "timed-out" }, ["created made"]]);
    const forked = await bench.run("(setsid sleep 1000 >/dev/null 2>&1 &) ; echo x > made");
    assert.deepEqual([forked.end, forked.short], [{ kind: "exited", exitCode: 0 }, ["created made"]]);
    const cut = await bench.run(
      "cat .env; echo y >> .env; : < /dev/tcp/127.0.0.1/9; tail -n +3 /proc/net/dev | cut -d: -f1; echo x > .envrc; mkdir -p .git/hooks",
    );
    assert.deepEqual([cut.stdout.trim(), cut.short], ["lo", []]);
    for (const said of [
      /\.env: Permission denied/,
      /Connection refused|Network is unreachable/,
      /\.envrc: Is a directory/,
      /Read-only|Permission denied/,
    ]) {
      assert.match(cut.stderr, said);
    }
    const readOnly = await bench.run("echo x > made", { kind: "read-only" });
    assert.deepEqual([readOnly.end, readOnly.short], [{ kind: "exited", exitCode: 1 }, []]);
    assert.equal(treeHash(bench.workspace), hash);
  });

  test(`${name}: a tree is told by its first entries, and the rest is counted`, async (t) => {
    const bench = await openBench(t, how);
    if (!bench) return;
    mkdirSync(join(bench.workspace, "old"));
    for (let n = 0; n < 300; n += 1) writeFileSync(join(bench.workspace, `old/${n}`), "");
    const seen = await bench.run(
      "mkdir new; (cd new && touch {1..500}); rm -r old; echo x > z; mkdir -p $(printf 'd/%.0s' {1..200})",
    );
    const { created, changed, deleted } = seen.counts;
    assert.deepEqual([changed, deleted, seen.truncated], [0, 301, true]);
    assert.ok(created >= 600 && seen.changes.length <= 310, `${created} ${seen.changes.length}`);
    assert.ok(seen.short.includes("created z"));
  });
}

test("a preview that writes too much gets no further, and says so", async (t) => {
  const bench = await openBench(t, "overlay");
  if (!bench) return;
  const full = await bench.run("dd if=/dev/zero of=large bs=1M");
  assert.match(full.stderr, /No space left on device/);
  assert.equal(full.full, `what it may write in a preview (${SCRATCH_BYTES} bytes)`);
  assert.ok((full.changes[0]?.after?.size ?? 0) <= SCRATCH_BYTES);
  const many = await bench.run("i=0; while echo > f$((i++)); do :; done 2>/dev/null; echo $i", { timeoutMs: 60_000 });
  assert.equal(many.full, full.full);
  assert.deepEqual(readdirSync(bench.workspace), []);
});

test("and in a copy it is ended", async (t) => {
  const bench = await openBench(t, "copy");
  if (!bench) return;
  writeFileSync(join(bench.workspace, "kept"), "kept\n");
  for (const command of [
    "dd if=/dev/zero of=large bs=1M count=4000",
    "i=0; while echo > f$((i++)); do :; done",
    "mkdir -p $(printf 'd/%.0s' {1..200}); cd $(printf 'd/%.0s' {1..200}); dd if=/dev/zero of=large bs=1M count=4000",
  ]) {
    const seen = await bench.run(command, { timeoutMs: 60_000 });
    assert.deepEqual(
      [seen.end, seen.ended],
      [{ kind: "aborted" }, `It wrote more than a preview may (${SCRATCH_BYTES} bytes, ${SCRATCH_BYTES / 1024} files)`],
      command,
    );
    assert.deepEqual(readdirSync(bench.home.run), ["looks.jsonl", "placeholders", "placeholders.json"]);
  }
  const little = await bench.run("head -c 1000000 /dev/zero > little; sleep 0.5");
  assert.deepEqual([little.end, little.ended], [{ kind: "exited", exitCode: 0 }, undefined]);
});

test("a copy that nobody waits for, or for which there's no space, leaves nothing behind", async (t) => {
  const [keptIn, workspace] = ["kept", "workspace"].map((name) => {
    const dir = mkdtempSync(join(tmpdir(), `countersign-preview-${name}-`));
    t.after(() => rmSync(dir, { recursive: true }));
    return realpathSync(dir);
  }) as [string, string];
  writeFileSync(join(workspace, "file"), "x");
  const sandboxes = new DiscardSandboxes({ keptIn, bytes: SCRATCH_BYTES, how: "copy" });
  const wish = { paths: [workspace], roots: [workspace] };
  await assert.rejects(sandboxes.open(wish, AbortSignal.abort()), { code: "CANCELLED" });
  assert.deepEqual(readdirSync(keptIn), []);
  if (process.env[MOUNTING] === undefined) return;
  // In a mount namespace of the test's own, see below.
  assert.equal(spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", keptIn]).status, 0);
  writeFileSync(join(workspace, "file"), Buffer.alloc(1024 * 1024));
  await assert.rejects(sandboxes.open(wish, new AbortController().signal), { code: "ENOSPC" });
  assert.deepEqual(readdirSync(keptIn), []);
  spawnSync("umount", [keptIn]);
});

test("a workspace that is too large isn't copied", async (t) => {
  const bench = await openBench(t, "copy");
  if (!bench) return;
  for (const name of ["a", "b"]) {
    const path = join(bench.workspace, name);
    writeFileSync(path, "");
    // With nothing in it; it counts as what it seems to be.
    truncateSync(path, 300 * 1024 * 1024);
  }
  await assert.rejects(bench.run("true"), { code: "TOO_LARGE_TO_COPY" });
  assert.deepEqual(readdirSync(bench.home.run), ["looks.jsonl", "placeholders", "placeholders.json"]);
});

test("what a hub that was killed left behind is removed by the next", async (t) => {
  const keptIn = mkdtempSync(join(tmpdir(), "countersign-preview-kept-"));
  t.after(() => rmSync(keptIn, { recursive: true }));
  mkdirSync(join(keptIn, "preview-left/closed"), { recursive: true });
  writeFileSync(join(keptIn, "preview-left/closed/file"), "");
  chmodSync(join(keptIn, "preview-left/closed"), 0);
  writeFileSync(join(keptIn, "hub.sock"), "");
  await new DiscardSandboxes({ keptIn, bytes: SCRATCH_BYTES }).clean();
  assert.deepEqual(readdirSync(keptIn), ["hub.sock"]);
});

test("what is mounted in a workspace is part of it: then it is copied", { skip: whyNoMounts() }, async (t) => {
  if (process.env[MOUNTING] === undefined) {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const args = [
      "--mount",
      "--propagation",
      "private",
      process.execPath,
      "--test",
      "--test-name-pattern=is mounted|no space",
      HERE,
    ];
    const run = spawnSync("/usr/bin/unshare", args, {
      encoding: "utf8",
      env: { ...env, [MOUNTING]: "1" },
      timeout: 60_000,
    });
    assert.equal(run.status, 0, run.stdout + run.stderr);
    return;
  }
  const bench = await openBench(t, "overlay");
  if (!bench) return;
  const mount = (type: string, name: string) => {
    mkdirSync(join(bench.workspace, name));
    assert.equal(spawnSync("mount", ["-t", type, type, join(bench.workspace, name)]).status, 0);
  };
  mount("tmpfs", "inner");
  mount("proc", "machine");
  writeFileSync(join(bench.workspace, "inner/there"), "there\n");
  const seen = await bench.run("cat inner/there; echo x > inner/new; ls machine");
  assert.deepEqual([seen.how, seen.stdout, seen.short], ["copy", "there\n", ["created inner/new"]]);
  assert.deepEqual(readdirSync(join(bench.workspace, "inner")), ["there"]);
  for (const name of ["inner", "machine"]) spawnSync("umount", [join(bench.workspace, name)]);
});

alsoAsOrdinaryUser(HERE, "overlay as an ordinary user: what was made");

function whyNoMounts(): string | false {
  return process.getuid?.() === 0 ? false : "only root can mount";
}
