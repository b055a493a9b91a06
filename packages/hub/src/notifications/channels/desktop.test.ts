import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { silentLog } from "@countersign/core/base";
import { findDesktop, openDesktop } from "./desktop.ts";
import { noticeOf } from "./notice.ts";

const WAITING = {
  approvalId: "1",
  riskLevel: "needs-review",
  agentName: "codex",
  subject: "exec",
  command: "--help <b>&",
  expiresAtMs: 0,
} as const;

test("the desktop channel replaces and withdraws one notification", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "countersign-desktop-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const said = join(dir, "said");
  const program = join(dir, "notify-send");
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$*" "$SECRET" >> ${said}\necho 7\n`);
  assert.deepEqual(findDesktop({ env: {}, places: [dir] }), { problem: "notify-send isn't installed here" });
  chmodSync(program, 0o755);
  const problem = "the hub wasn't started from a desktop's session";
  assert.deepEqual(findDesktop({ env: {}, places: [dir] }), { problem });
  const env = { DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere", SECRET: "of the hub's" };
  assert.deepEqual(findDesktop({ env, places: [dir] }), { program });

  const options = { log: silentLog, env, page: undefined, places: [dir] };
  const desktop = openDesktop(program, { showDangerous: false }, options);
  desktop.raise(noticeOf([WAITING], true));
  desktop.raise(noticeOf([WAITING, { ...WAITING, riskLevel: "dangerous" }], false));
  desktop.withdraw();
  desktop.withdraw();
  const lines = await whenThere(said, 6);
  assert.deepEqual(lines, [
    "--app-name=Countersign --print-id --urgency=normal -- codex asks · review --help &lt;b&gt;&amp;",
    "",
    "--app-name=Countersign --print-id --replace-id=7 --urgency=low -- 2 wait: 1 dangerous codex",
    "",
    "--app-name=Countersign --print-id --replace-id=7 --urgency=low --expire-time=1 -- Answered ",
    "",
  ]);
});

const CLOSE =
  "call --session --dest=org.freedesktop.Notifications --object-path=/org/freedesktop/Notifications --method=org.freedesktop.Notifications.CloseNotification 7";

test("the desktop channel links the page, and closes by gdbus if it is there", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "countersign-desktop-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const said = join(dir, "said");
  const program = join(dir, "notify-send");
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$*" >> ${said}\necho 7\n`, { mode: 0o755 });
  // The first time nobody is there who could close it.
  const closer = `#!/bin/sh\nprintf '%s\\n' "$*" >> ${said}\n[ -e ${dir}/tried ] || { : > ${dir}/tried; exit 1; }\n`;
  writeFileSync(join(dir, "gdbus"), closer, { mode: 0o755 });
  const options = { log: silentLog, env: {}, page: "https://hub.example", places: [dir] };
  const desktop = openDesktop(program, { showDangerous: false }, options);
  desktop.raise(noticeOf([WAITING], true));
  desktop.withdraw();
  desktop.raise(noticeOf([WAITING, WAITING], true));
  desktop.withdraw();
  const lines = await whenThere(said, 7);
  assert.deepEqual(lines, [
    "--app-name=Countersign --print-id --urgency=normal -- codex asks · review --help &lt;b&gt;&amp;",
    "https://hub.example/#/approval/1",
    CLOSE,
    "--app-name=Countersign --print-id --replace-id=7 --urgency=low --expire-time=1 -- Answered ",
    "--app-name=Countersign --print-id --urgency=normal -- 2 wait codex",
    "https://hub.example/#/inbox",
    CLOSE,
  ]);
});

async function whenThere(path: string, count: number): Promise<string[]> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
    if (lines.length >= count || Date.now() > deadline) return lines;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
