import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { arrangeMounts } from "./arrange-mounts.ts";
import type { SessionMount, SessionRequest } from "./session-mount.ts";
import { overlayLimits } from "./session-mount.ts";

function arranger(t: TestContext, at = "/var/tmp") {
  const base = realpathSync(mkdtempSync(join(at, "countersign-arrange-")));
  t.after(() => rmSync(base, { recursive: true, force: true }));
  const workspace = join(base, "work");
  for (const path of ["work/one/deep", "work/two", "allowed", "others"])
    mkdirSync(join(base, path), { recursive: true });
  const facts = {
    workspace,
    temporary: "/session's",
    hidden: ["/home", "/root", "/tmp", "/var/tmp", join(base, "own")],
  };
  const plain: SessionRequest = { root: workspace, mode: "rw", binds: [], allowed: [join(base, "allowed")], ids: {} };
  const arrange = (wish: Partial<SessionRequest>) => arrangeMounts({ ...plain, ...wish }, facts);
  return { base, workspace, arrange };
}

/** Without what was found there, which is another thing each time. */
function placed({ found: _, ...mount }: SessionMount) {
  return mount;
}

test("each stands in the innermost of those around it, in whatever order they are asked for", (t) => {
  const { workspace, base, arrange } = arranger(t);
  const [one, two, allowed] = [join(workspace, "one"), join(workspace, "two"), join(base, "allowed")];
  const mounts = arrange({
    ...{ root: one, mode: "overlay" },
    binds: [
      { source: two, path: join(one, "x/y"), readOnly: false },
      { source: allowed, path: `${one}/x/`, readOnly: true },
      { source: two, readOnly: false },
      { source: allowed, path: "/tmp/a b", readOnly: false },
      { source: two, path: "/mnt", readOnly: true },
    ],
  });
  assert.deepEqual(mounts.map(placed), [
    { path: one, source: one, mode: "overlay" },
    { path: "/tmp", source: "/session's", mode: "rw" },
    { path: `${one}/x/y`, source: two, mode: "rw", inside: 3 },
    { path: `${one}/x`, source: allowed, mode: "ro", inside: 0 },
    { path: two, source: two, mode: "rw" },
    { path: "/tmp/a b", source: allowed, mode: "rw", inside: 1 },
    { path: "/mnt", source: two, mode: "ro" },
  ]);
});

test("of a workspace in /tmp, what is in it isn't put into the session's /tmp, nor anything on the way there", (t) => {
  const { workspace, base, arrange } = arranger(t, "/tmp");
  const [root, two] = [join(workspace, "one"), join(workspace, "two")];
  const [, , beside] = arrange({ root, binds: [{ source: two, readOnly: false }] });
  assert.deepEqual(beside && placed(beside), { path: two, source: two, mode: "rw" });
  const onWay = { source: two, path: join(base, "new"), readOnly: false };
  assert.throws(() => arrange({ root, binds: [onWay] }), { code: "MOUNT_REFUSED", message: /on the way/ });
});

test("what isn't in the workspace, or what else may be bound, is nobody's to give, by whatever path", (t) => {
  const { workspace, base, arrange } = arranger(t);
  const others = join(base, "others");
  symlinkSync(others, join(workspace, "link"));
  symlinkSync("../../others", join(workspace, "one/link"));
  symlinkSync(join(base, "absent"), join(workspace, "nowhere"));
  const links = ["link", "link/deep", "one/link", "nowhere", "nowhere/deep"].map((name) => join(workspace, name));
  const outside = ["/", "/etc", others, base, `${workspace}-other`, join(base, "absent"), "/proc/self/root", ...links];
  for (const path of [...outside, join(workspace, "one/../../others")]) {
    // The same whether or not there is something: what the machine has isn't told.
    assert.throws(() => arrange({ root: path }), { code: "MOUNT_OUTSIDE" }, path);
    assert.throws(() => arrange({ binds: [{ source: path, readOnly: true }] }), { code: "MOUNT_OUTSIDE" }, path);
  }
  symlinkSync("one/../two", join(workspace, "inner"));
  symlinkSync(join(workspace, "inner"), join(workspace, "one/again"));
  assert.equal(arrange({ root: join(workspace, "one/again/new") })[0].path, join(workspace, "two/new"));
});

test("a file, a socket, a pipe's end or what isn't there can't be bound; a workspace that isn't there is made", async (t) => {
  const { workspace, arrange } = arranger(t);
  writeFileSync(join(workspace, "file"), "");
  const server = createServer().listen(join(workspace, "socket"));
  t.after(() => server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  symlinkSync("loop", join(workspace, "loop"));
  for (const name of ["file", "socket", "absent", "file/below", "loop"])
    assert.throws(
      () => arrange({ binds: [{ source: join(workspace, name), readOnly: false }] }),
      { code: "MOUNT_REFUSED" },
      name,
    );
  for (const name of ["file", "socket", "file/below", "loop", "loop/below", "x".repeat(300)])
    assert.throws(() => arrange({ root: join(workspace, name) }), { code: "MOUNT_REFUSED" }, name);
  assert.equal(arrange({ root: join(workspace, "new/one") })[0].path, join(workspace, "new/one"));
});

test("a path that the kernel wouldn't take isn't walked, and a bind that is refused leaves nothing made", (t) => {
  const { workspace, arrange } = arranger(t);
  const long = `${workspace}${"/a".repeat(3_000)}`;
  assert.throws(() => arrange({ root: long }), { code: "MOUNT_REFUSED", message: /ENAMETOOLONG/ });
  symlinkSync(`${"a/".repeat(2_000)}a`, join(workspace, "link"));
  const linked = `${workspace}/link${"/a".repeat(1_500)}`;
  assert.throws(() => arrange({ root: linked }), { code: "MOUNT_REFUSED", message: /ENAMETOOLONG/ });
  const binds = [{ source: join(workspace, "absent"), readOnly: true }];
  assert.throws(() => arrange({ root: join(workspace, "new"), binds }), { code: "MOUNT_REFUSED" });
  assert.deepEqual(readdirSync(workspace).sort(), ["link", "one", "two"]);
});

test("no place that is the jail's own, or around what it shows, or taken", (t) => {
  const { workspace, base, arrange } = arranger(t);
  const root = join(workspace, "one");
  const source = join(workspace, "two");
  const own = [
    "/",
    "/proc",
    "/proc/1",
    "/sys",
    "/dev",
    "/dev/shm",
    "/etc",
    "/etc/x",
    "/usr",
    "/usr/bin",
    "/lib64",
    "/bin/sh",
  ];
  const hidden = ["/home", "/home/x", "/root/.ssh", "/tmp", "/var/tmp", "/var", join(base, "own"), base];
  const wrong = [
    "relative",
    "",
    "/mnt/..",
    "/mnt/../etc",
    "//mnt",
    "/mnt/./x",
    "/mnt//x",
    `/${"x/".repeat(3_000)}x`,
    "/mnt\0/x",
  ];
  for (const path of [...own, ...hidden, ...wrong, root, workspace, "/no/such"])
    assert.throws(
      () => arrange({ root, binds: [{ source, path, readOnly: false }] }),
      { code: "MOUNT_REFUSED" },
      path.slice(0, 40),
    );
  const twice = [root, root].map((at) => ({ source, path: join(at, "x"), readOnly: false }));
  assert.throws(() => arrange({ root, binds: twice }), { code: "MOUNT_REFUSED", message: /twice/ });
});

test("overlays take half of the memory together, and each a sixteenth, or a gibibyte", () => {
  const GIB = 1024 ** 3;
  assert.deepEqual(overlayLimits(4 * GIB), { bytes: GIB / 4, most: 8 });
  assert.deepEqual(overlayLimits(128 * GIB), { bytes: GIB, most: 64 });
});
