import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { alsoAsOrdinaryUser } from "../../../hub/test/support/as-ordinary-user.ts";
import { said, sessionBench } from "../../test/support/open-session.ts";
import { whyNoJail } from "../../test/support/small-jail.ts";

const skip = whyNoJail();
const PROOF = "a directory of the workspace: all there is";

for (const at of ["/var/tmp", "/tmp", "/srv"]) {
  if (process.getuid?.() !== 0 && at === "/srv") continue;
  test(`${PROOF} (in ${at})`, { skip }, async (t) => {
    const { workspace, open } = sessionBench(t, at);
    mkdirSync(join(workspace, "one/deep"), { recursive: true });
    writeFileSync(join(workspace, "secret"), "of the workspace");
    const jail = await open({ root: join(workspace, "one/deep") });
    assert.equal(jail.workspace, join(workspace, "one/deep"));
    assert.deepEqual(await said(jail, "pwd; echo $HOME; echo kept > file; cat ../../secret; ls -A ../.. .."), [
      ...[jail.workspace, jail.workspace, "cat: ../../secret: No such file or directory"],
      ...["..:", "deep", "", "../..:", "one"],
    ]);
    assert.equal(readFileSync(join(jail.workspace, "file"), "utf8"), "kept\n");
    // Where it can be written around it, that is nobody's and gone with the run.
    await said(jail, "touch ../../x ../x; echo tmp > /tmp/own");
    assert.deepEqual(await said(jail, "cat file /tmp/own; ls -A ../.."), ["kept", "tmp", "one"]);
    assert.deepEqual(readdirSync(workspace).sort(), ["one", "secret"]);
  });
}

for (const at of ["/var/tmp", "/srv"]) {
  if (process.getuid?.() !== 0 && at === "/srv") continue;
  test(`all of the workspace, in each mode and whatever is bound besides (in ${at})`, { skip }, async (t) => {
    const { workspace, open } = sessionBench(t, at);
    mkdirSync(join(workspace, "a"));
    const binds = [{ source: join(workspace, "a"), path: "/tmp/a", readOnly: false }];
    for (const [mode, told] of [
      ["overlay", ["a", "overlay"]],
      ["rw", ["a", "rw"]],
      ["ro", ["touch: cannot touch 'ro': Read-only file system", "a", "rw"]],
    ] as const) {
      const jail = await open({ mode, binds, ids: { uid: 1234 } });
      assert.deepEqual(await said(jail, `touch ${mode}; ls; touch /tmp/a/${mode}`), told);
    }
    assert.deepEqual(readdirSync(join(workspace, "a")).sort(), ["overlay", "ro", "rw"]);
  });
}

test("one that isn't there is made", { skip }, async (t) => {
  const { workspace, open } = sessionBench(t);
  const jail = await open({ root: join(workspace, "new/one") });
  assert.deepEqual(await said(jail, "pwd; touch made; ls"), [join(workspace, "new/one"), "made"]);
  assert.deepEqual(readdirSync(join(workspace, "new/one")), ["made"]);
});

test("overlay: all can be changed, nothing is", { skip }, async (t) => {
  const { workspace, open } = sessionBench(t);
  mkdirSync(join(workspace, "dir"));
  writeFileSync(join(workspace, "dir/file"), "old\n");
  writeFileSync(join(workspace, "gone"), "");
  const jail = await open({ mode: "overlay" });
  const change =
    "echo new > dir/file; echo more > more; rm gone; rm -r dir; mkdir dir; echo again > dir/again; cat dir/again more";
  assert.deepEqual(await said(jail, change), ["again", "more"]);
  assert.deepEqual(await said(jail, "find . -type f | sort"), ["./dir/again", "./more"]);
  assert.equal(readFileSync(join(workspace, "dir/file"), "utf8"), "old\n");
  assert.deepEqual(readdirSync(workspace).sort(), ["dir", "gone"]);
  const other = await open({ mode: "overlay" });
  assert.deepEqual(await said(other, "cat dir/file; ls"), ["old", "dir", "gone"]);
  const [root] = jail.roots;
  assert.deepEqual(readdirSync(`${root?.directory}/`).sort(), ["dir", "more"]);
});

test("binds: in the workspace, in /tmp, elsewhere, in one another; read-only where they are", { skip }, async (t) => {
  const { workspace, allowed, open } = sessionBench(t);
  for (const path of ["a", "b", "c"]) mkdirSync(join(workspace, path));
  writeFileSync(join(workspace, "a/in-a"), "");
  writeFileSync(join(allowed, "in-allowed"), "");
  const root = join(workspace, "work");
  const binds = [
    { source: join(workspace, "a"), path: join(root, "x/a"), readOnly: true },
    { source: join(workspace, "b"), path: join(root, "x/a/inner"), readOnly: false },
    { source: allowed, path: "/tmp/given", readOnly: false },
    { source: join(workspace, "c"), readOnly: false },
    { source: allowed, path: "/mnt", readOnly: true },
  ];
  mkdirSync(join(workspace, "a/inner"));
  const jail = await open({ root, mode: "ro", binds: binds.slice(1).toSpliced(0, 1) });
  assert.deepEqual(
    await said(jail, "ls /tmp/given /mnt; touch here; touch /mnt/x; touch /tmp/given/y ../c/z && echo done"),
    [
      ...["/mnt:", "in-allowed", "", "/tmp/given:", "in-allowed"],
      "touch: cannot touch 'here': Read-only file system",
      "touch: cannot touch '/mnt/x': Read-only file system",
      "done",
    ],
  );
  const nested = await open({ root, mode: "overlay", binds });
  assert.deepEqual(await said(nested, "ls x/a; touch x/a/no; touch x/a/inner/yes; touch over; ls; ls .."), [
    ...["in-a", "inner", "touch: cannot touch 'x/a/no': Read-only file system", "over", "x", "c", "work"],
  ]);
  assert.ok(existsSync(join(workspace, "b/yes")));
  assert.deepEqual(readdirSync(root), []);
});

test("whoever it is inside, it has no capability, and is nobody else outside", { skip }, async (t) => {
  const { workspace, open } = sessionBench(t);
  for (const [ids, told] of [
    [{ uid: 1234, gid: 77 }, "1234 77"],
    [{ uid: 0, gid: 0 }, "0 0"],
  ] as const) {
    const jail = await open({ ids });
    const look =
      'echo "$(id -u) $(id -g)"; grep -E "^Cap(Eff|Prm|Bnd|Amb)|NoNewPrivs" /proc/self/status; touch mine; stat -c %u mine';
    const lines = await said(jail, look);
    assert.deepEqual(lines, [
      told,
      ...[
        "CapPrm:\t0000000000000000",
        "CapEff:\t0000000000000000",
        "CapBnd:\t0000000000000000",
        "CapAmb:\t0000000000000000",
      ],
      "NoNewPrivs:\t1",
      told.split(" ")[0],
    ]);
    assert.deepEqual(readdirSync(workspace), ["mine"]);
  }
});

test("what is held is seen, whatever is put in its place", { skip }, async (t) => {
  const { workspace, base, open } = sessionBench(t);
  const outside = join(base, "outside");
  for (const path of [outside, join(workspace, "one/point"), join(workspace, "two")])
    mkdirSync(path, { recursive: true });
  writeFileSync(join(outside, "secret"), "secret");
  for (const name of ["one", "two"]) writeFileSync(join(workspace, name, "own"), "");
  const root = join(workspace, "one");
  const binds = [
    { source: join(workspace, "two"), path: join(root, "point"), readOnly: false },
    { source: join(workspace, "two"), readOnly: true },
  ];
  const jail = await open({ root, binds });
  const look = `ls . point ${workspace}/two; touch point/written; pwd`;
  const seen = [".:", "own", "point", "", `${workspace}/two:`, "own", "", "point:", "own", root];
  assert.deepEqual(await said(jail, look), seen);
  rmSync(join(workspace, "two/written"));
  for (const name of ["one", "two"]) {
    renameSync(join(workspace, name), join(workspace, `${name}-moved`));
    symlinkSync(outside, join(workspace, name));
  }
  assert.deepEqual(await said(jail, look), seen);
  assert.deepEqual(readdirSync(join(workspace, "two-moved")).sort(), ["own", "written"]);
  // Its own inhabitants can't take the places away.
  const inside = await said(jail, "mv point other; rmdir point; rm -rf ../two; ln -sfT /etc point; ls point | head -1");
  assert.ok(
    inside.some((line) => line.includes("busy")),
    inside.join(),
  );
  assert.equal(inside.at(-1), "own");
  assert.deepEqual(readdirSync(outside), ["secret"]);
});

test("whatever they are called, and as many as there can be", { skip }, async (t) => {
  const { workspace, open } = sessionBench(t);
  const names = ["a b", "ä€", "new\nline", "back\\slash", "\\040", "--bind", "#", "'\"$(x)"];
  const root = join(workspace, "the session's\\ own\n");
  for (const name of names) mkdirSync(join(workspace, name));
  const more = Array.from({ length: 28 }, (_, n) => ({
    source: workspace,
    path: `/tmp/many/${n}`,
    readOnly: n % 2 === 0,
  }));
  const binds = names.flatMap((name) => [
    { source: join(workspace, name), path: join(root, name), readOnly: false },
    { source: join(workspace, name), readOnly: true },
  ]);
  const jail = await open({ root, binds: [...binds, ...more] });
  assert.deepEqual(
    await said(jail, 'for d in *; do touch "./$d/x" "../$d/y" 2>/dev/null && echo no; done; ls /tmp/many | wc -l'),
    ["28"],
  );
  for (const name of names) assert.deepEqual(readdirSync(join(workspace, name)), ["x"], name);
});

test("of a workspace that was removed nothing is shown that stands in its place, and nothing runs", {
  skip,
}, async (t) => {
  const { workspace, open } = sessionBench(t);
  const root = join(workspace, "one");
  mkdirSync(join(workspace, "two"));
  writeFileSync(join(workspace, "two/own"), "");
  const jail = await open({
    root,
    binds: [{ source: join(workspace, "two"), path: join(root, "point"), readOnly: true }],
  });
  assert.deepEqual(await said(jail, "ls point"), ["own"]);
  rmSync(join(workspace, "one"), { recursive: true });
  rmSync(join(workspace, "two"), { recursive: true });
  mkdirSync(join(workspace, "one/point"), { recursive: true });
  writeFileSync(join(workspace, "one/another's"), "");
  assert.deepEqual(await said(jail, "ls -A; touch x"), []);
  assert.deepEqual(readdirSync(join(workspace, "one")).sort(), ["another's", "point"]);
});

test("what an overlay has written is limited, and starts nothing with another's rights", { skip }, async (t) => {
  const { workspace, open } = sessionBench(t);
  const jail = await open({ mode: "overlay" }, { tmpBytes: 4 * 1024 * 1024 });
  const fill = "head -c 8000000 /dev/zero > big || echo full; cp /bin/true suid; chmod 4755 suid 2>/dev/null; rm big";
  assert.match((await said(jail, fill)).join("\n"), /No space left on device\nfull/);
  const flags = await said(jail, `grep -F ' ${workspace} ' /proc/self/mountinfo | tail -1 | cut -d' ' -f6`);
  assert.match(flags.join(), /nosuid.*nodev/);
  assert.deepEqual(readdirSync(workspace), []);
});

test("its /tmp is gone with it, whatever was done to keep it there", { skip }, async (t) => {
  const { workspace, base, open } = sessionBench(t);
  const { TMPDIR } = process.env;
  t.after(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });
  process.env.TMPDIR = base;
  const kept = () => readdirSync(base).filter((name) => name.startsWith("countersign-jail-")).length;
  const jail = await open({ mode: "overlay" });
  // Deeper than a path is long.
  const deep = `d=${"d".repeat(250)}; for i in {1..20}; do mkdir $d; cd ./$d || exit; done; echo deep`;
  const close = "mkdir -p q/w r; ln -s / q/w/link; echo s > q/w/z; chmod 000 q/w q; chmod 500 r .";
  assert.deepEqual(await said(jail, `cd /tmp; (${deep}); ${close}; ls`), ["deep", "d".repeat(250), "q", "r"]);
  assert.equal(kept(), 1);
  await jail.close();
  assert.equal(kept(), 0);
  assert.deepEqual(readdirSync(workspace), []);
});

alsoAsOrdinaryUser(fileURLToPath(import.meta.url), PROOF);
