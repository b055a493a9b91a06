import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { openWorkspace } from "../../test/support/open-workspace.ts";

const TRIES = `
cat kept
touch new 2>/dev/null || echo "can't write"
rm kept 2>/dev/null || echo "can't remove"
chmod 700 . 2>/dev/null || echo "can't change"
mount -o remount,bind,rw . 2>/dev/null || echo "can't mount"
umount . 2>/dev/null || echo "can't unmount"
echo own > /tmp/own && cat /tmp/own
`;

test("a workspace that is there to be read: nothing in it changes, by whatever way; /tmp is its own", async (t) => {
  const jail = await openWorkspace(t, { readOnly: true });
  if (!jail) return;
  const { workspace: cwd, env } = jail;
  writeFileSync(join(cwd, "kept"), "kept\n");
  const process = await jail.start({ command: TRIES, cwd, env });
  const said = (await text(process.stdout)).trim().split("\n");
  assert.deepEqual(said, [
    ...["kept", "can't write", "can't remove", "can't change", "can't mount", "can't unmount", "own"],
  ]);
  assert.deepEqual(await process.ended, { exitCode: 0 });
  assert.deepEqual(readdirSync(cwd), ["kept"]);
});
