import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isOurs, readHookCommand, writeHookCommand } from "./hook-command.ts";

const PLAIN = {
  agent: "claude-code",
  node: "/opt/node/bin/node",
  hook: "/home/a/.countersign/hook/countersign-hook.cjs",
  home: "/home/a/.countersign",
  key: "abc_-123",
  deadlineMs: 540_000,
} as const;

test("is read back, whatever stands in its paths, and only when it is ours to the byte", () => {
  const awkward = { ...PLAIN, node: `/o'p"t/no\\de $(x) \`y\`/bin/node`, home: "/tmp/it's 'here' \\'" };
  for (const command of [PLAIN, awkward]) assert.deepEqual(readHookCommand(writeHookCommand(command)), command);
  const text = writeHookCommand(PLAIN);
  for (const other of [`${text} `, text.replace("exit 2", "exit 0"), text.replace("-i", ""), `true || ${text}`, "ls"])
    assert.equal(readHookCommand(other), undefined, other);
  assert.equal(isOurs(text.replace("exit 2", "exit 0")), true);
  assert.equal(isOurs("/usr/bin/notify-send done"), false);
  for (const node of ["node", "/a\nb"]) assert.throws(() => writeHookCommand({ ...PLAIN, node }), /absolute path/);
});

test("runs the file with none of the environment, and blocks with words where it can't", (t) => {
  const dir = mkdtempSync(join(tmpdir(), "cs hook's "));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const at = join(dir, "bin");
  mkdirSync(at);
  const node = join(at, `no"de`);
  writeFileSync(node, `#!/bin/sh\nprintf '%s\\n' "$@" "<$NODE_OPTIONS>"\n`);
  chmodSync(node, 0o755);
  const run = (command: string) =>
    spawnSync("/bin/sh", ["-c", command], { encoding: "utf8", env: { PATH: "", NODE_OPTIONS: "--require=/evil.js" } });
  const works = run(writeHookCommand({ ...PLAIN, node }));
  assert.deepEqual(
    [works.status, works.stdout.trimEnd().split("\n")],
    [
      0,
      ["--v8-pool-size=1", PLAIN.hook, "claude-code"].concat([
        "--home",
        PLAIN.home,
        "--key",
        PLAIN.key,
        "--deadline-ms",
        "540000",
        "<>",
      ]),
    ],
  );
  writeFileSync(node, "#!/bin/sh\nkill -9 $$\n");
  for (const broken of [writeHookCommand({ ...PLAIN, node }), writeHookCommand({ ...PLAIN, node: join(at, "gone") })]) {
    const { status, stderr } = run(broken);
    assert.deepEqual([status, /gave no answer through its hook/.test(stderr)], [2, true]);
  }
});
