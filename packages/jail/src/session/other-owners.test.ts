import assert from "node:assert/strict";
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { said, sessionBench } from "../../test/support/open-session.ts";
import { whyNoJail } from "../../test/support/small-jail.ts";

const skip = whyNoJail() || (process.getuid?.() === 0 ? false : "only root has files of several owners");
const [ANN, BOB] = [3_000, 4_000];

/** A workspace of this owner's, with a directory of Bob's and one of root's in it that are nobody else's to enter. */
function sharedWorkspace(t: TestContext, owner: number) {
  const bench = sessionBench(t);
  const { workspace } = bench;
  const own = (path: string, uid: number, mode: number) => {
    chownSync(join(workspace, path), uid, uid);
    chmodSync(join(workspace, path), mode);
  };
  for (const path of ["mine", "bob", "bob/open", "admin"]) mkdirSync(join(workspace, path));
  for (const path of ["bob/secret", "bob/open/file", "admin/secret"]) writeFileSync(join(workspace, path), "secret");
  for (const path of ["", "mine"]) own(path, owner, 0o755);
  for (const path of ["bob", "bob/open", "bob/secret", "bob/open/file"]) own(path, BOB, 0o700);
  for (const path of ["bob/open", "bob/open/file"]) own(path, BOB, 0o755);
  for (const path of ["admin", "admin/secret"]) own(path, owner === 0 ? BOB : 0, 0o700);
  return bench;
}

for (const owner of [ANN, 0]) {
  const whose = owner === 0 ? "root's" : "somebody's";

  test(`in ${whose} workspace, what is another's isn't had by naming it, and nothing is made there`, {
    skip,
  }, async (t) => {
    const { workspace, open } = sharedWorkspace(t, owner);
    const mine = join(workspace, "mine");
    const bound = (name: string) => ({ source: join(workspace, name), path: "/tmp/bound", readOnly: false });
    const within = { source: mine, path: join(workspace, "bob/new"), readOnly: false };
    for (const wish of [
      ...["bob", "admin", "bob/open", "bob/new", "admin/new/one"].flatMap((name) => [
        { root: join(workspace, name) },
        { root: join(workspace, name), mode: "overlay" } as const,
        { root: mine, binds: [bound(name)] },
      ]),
      { binds: [within] },
      { mode: "overlay", binds: [within] } as const,
    ])
      await assert.rejects(open(wish), { code: "MOUNT_REFUSED" }, JSON.stringify(wish));
    assert.deepEqual(readdirSync(join(workspace, "bob")).sort(), ["open", "secret"]);
    assert.deepEqual(readdirSync(join(workspace, "admin")), ["secret"]);
  });

  test(`in ${whose} workspace, what is another's and open to all can be read, and not changed`, { skip }, async (t) => {
    const { workspace, open } = sharedWorkspace(t, owner);
    chmodSync(join(workspace, "bob"), 0o755);
    const root = join(workspace, "bob");
    const binds = [{ source: root, path: "/tmp/bound", readOnly: false }];
    for (const wish of [{ root }, { root: join(workspace, "mine"), binds }]) {
      const jail = await open(wish);
      const at = wish.root === root ? "." : "/tmp/bound";
      const lines = await said(jail, `cat ${at}/open/file; echo; cat ${at}/secret; touch ${at}/new ${at}/open/new`);
      assert.equal(lines.shift(), "secret");
      assert.equal(lines.length, 3);
      for (const line of lines) assert.match(line, /Permission denied/);
    }
    const over = await open({ root, mode: "overlay" });
    assert.match((await said(over, "cat secret")).join(), /Permission denied/);
    assert.deepEqual(readdirSync(root).sort(), ["open", "secret"]);
  });

  test(`in ${whose} workspace, what takes a directory's place once it was found isn't shown`, { skip }, async (t) => {
    const { workspace, open } = sharedWorkspace(t, owner);
    mkdirSync(join(workspace, "p/bob/open"), { recursive: true });
    for (const path of ["p", "p/bob", "p/bob/open"]) chownSync(join(workspace, path), owner, owner);
    mkdirSync(join(workspace, "q"));
    renameSync(join(workspace, "bob"), join(workspace, "q/bob"));
    for (const wish of [
      { root: join(workspace, "p/bob/open") },
      { binds: [{ source: join(workspace, "p/bob/open"), path: "/tmp/bound", readOnly: true }] },
    ]) {
      const opening = open(wish);
      renameSync(join(workspace, "p"), join(workspace, "p2"));
      renameSync(join(workspace, "q"), join(workspace, "p"));
      await assert.rejects(opening, { code: "PATH_CHANGED" });
      renameSync(join(workspace, "p"), join(workspace, "q"));
      renameSync(join(workspace, "p2"), join(workspace, "p"));
      await open(wish);
    }
  });

  test(`in ${whose} workspace, what a session makes is its owner's, and it works there`, { skip }, async (t) => {
    const { workspace, open } = sharedWorkspace(t, owner);
    const root = join(workspace, "new/one");
    const jail = await open({
      root,
      binds: [{ source: join(workspace, "mine"), path: join(root, "a/b"), readOnly: false }],
    });
    assert.deepEqual(await said(jail, "touch file a/b/file && ls"), ["a", "file"]);
    for (const path of ["new", "new/one", "new/one/a", "new/one/a/b", "new/one/file", "mine/file"]) {
      const { uid, gid } = lstatSync(join(workspace, path));
      assert.deepEqual([uid, gid], [owner, owner], path);
    }
  });
}
