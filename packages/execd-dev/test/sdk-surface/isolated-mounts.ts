import assert from "node:assert/strict";
import { isApiError, type Surface, type SurfaceStep, texts } from "./surface.ts";

function isolationOf({ sdk: { isolation } }: Surface) {
  assert.ok(isolation);
  return isolation;
}

const said = async (run: Promise<{ readonly logs: { readonly stdout: readonly { readonly text: string }[] } }>) =>
  texts((await run).logs.stdout);

/** What sessions can be shown of the workspace, and how: only where there is a real jail. */
export const ISOLATED_MOUNTS: readonly SurfaceStep[] = [
  {
    name: "isolated mounts: a directory below the workspace, made where it isn't there",
    async run(surface) {
      const at = await surface.directory("mounts-below");
      await surface.sdk.files.writeFiles([{ path: `${at}/beside`, data: "" }]);
      const workspace = { path: `${at}/new/one`, mode: "rw" } as const;
      await isolationOf(surface).withSession({ workspace }, async (session) => {
        assert.deepEqual(session.info.workspace, workspace);
        assert.deepEqual(await said(session.run("pwd; echo kept > kept; ls ../../beside 2>&1 | grep -c 'No such'")), [
          ...[workspace.path, "1"],
        ]);
        assert.equal(await session.files.readFile(`${workspace.path}/kept`), "kept\n");
        await assert.rejects(session.files.readFile(`${at}/beside`), isApiError(403));
      });
      assert.equal(await surface.sdk.files.readFile(`${workspace.path}/kept`), "kept\n");
    },
  },
  {
    name: "isolated mounts: an overlay, the same for commands and for files, and gone",
    async run(surface) {
      const at = await surface.directory("mounts-overlay");
      const { files } = surface.sdk;
      await files.writeFiles([{ path: `${at}/old`, data: "old\n", mode: 644 }]);
      await isolationOf(surface).withSession({ workspace: { path: at, mode: "overlay" } }, async (session) => {
        await session.run("echo changed > old; mkdir by-command; echo one > by-command/file");
        assert.equal(await session.files.readFile(`${at}/old`), "changed\n");
        await session.files.writeFiles([{ path: `${at}/made/by-call`, data: "two\n", mode: 644 }]);
        await session.files.createDirectories([{ path: `${at}/by-call`, mode: 755 }]);
        await session.files.replaceContents([{ path: `${at}/old`, oldContent: "changed", newContent: "replaced" }]);
        await session.files.deleteFiles([`${at}/by-command/file`]);
        // What came by a call is the session's own, as what its commands made is.
        const change =
          "echo more >> made/by-call; echo x > made/x; echo x > by-call/x; cat made/by-call old; ls by-command";
        assert.deepEqual(await said(session.run(change)), ["two", "more", "replaced"]);
        const found = await session.files.search({ path: at, pattern: "**" });
        assert.ok(found.some(({ path }) => path === `${at}/by-call/x`));
      });
      assert.equal(await files.readFile(`${at}/old`), "old\n");
      assert.deepEqual((await files.listDirectory({ path: at })).length, 1);
      const once = isolationOf(surface).runOnce("echo lost > old; cat old", at, { workspaceMode: "overlay" });
      assert.deepEqual(await said(once), ["lost"]);
      assert.equal(await files.readFile(`${at}/old`), "old\n");
    },
  },
  {
    name: "isolated mounts: binds and what is writable besides, the same for commands and for files",
    async run(surface) {
      const at = await surface.directory("mounts-binds");
      const { files } = surface.sdk;
      for (const name of ["work", "data", "out"]) await surface.directory(`mounts-binds/${name}`);
      await files.writeFiles([{ path: `${at}/data/file`, data: "data\n" }]);
      const binds = [
        { source: `${at}/data`, dest: `${at}/work/deep/data`, readonly: true },
        { source: `${at}/data`, dest: "/tmp/data", readonly: false },
      ];
      const asked = { workspace: { path: `${at}/work`, mode: "rw" as const }, extra_writable: [`${at}/out`], binds };
      const isolation = isolationOf(surface);
      await isolation.withSession(asked, async (session) => {
        assert.deepEqual([session.info.binds, session.info.extra_writable], [binds, asked.extra_writable]);
        const { binds: told, extra_writable } = await session.get();
        assert.deepEqual([told, extra_writable], [binds, asked.extra_writable]);
        const run =
          "cat deep/data/file; touch deep/data/x 2>/dev/null || echo held; echo by-tmp > /tmp/data/y; ls deep/data";
        assert.deepEqual(await said(session.run(`${run}; echo out > ${at}/out/z`)), ["data", "held", "file", "y"]);
        assert.equal(await session.files.readFile(`${at}/work/deep/data/y`), "by-tmp\n");
        assert.equal(await session.files.readFile("/tmp/data/file"), "data\n");
        const [held, open] = [`${at}/work/deep/data/new`, "/tmp/data/new"];
        await assert.rejects(session.files.writeFiles([{ path: held, data: "" }]), isApiError(403));
        await assert.rejects(session.files.deleteFiles([`${at}/work/deep/data/file`]), isApiError(403));
        await session.files.writeFiles([{ path: open, data: "new" }]);
        assert.equal(await session.files.readFile(held), "new");
        // By a link, as its commands go.
        await session.run("ln -s deep/data link");
        assert.equal(await session.files.readFile(`${at}/work/link/new`), "new");
        await assert.rejects(session.files.writeFiles([{ path: `${at}/work/link/no`, data: "" }]));
        await session.files.writeFiles([{ path: `${at}/out/w`, data: "" }]);
        await assert.rejects(session.files.deleteDirectories(["/tmp/data"]), /busy/);
        await assert.rejects(session.files.readFile(`${at}/data/file`), isApiError(403));
      });
      assert.equal(await files.readFile(`${at}/out/z`), "out\n");
      assert.equal(await files.readFile(`${at}/data/new`), "new");
      const inReadOnly = { workspace: { path: at, mode: "ro" as const }, extra_writable: [`${at}/out`] };
      await isolation.withSession(inReadOnly, async (session) => {
        const run = "touch no 2>/dev/null || echo held; echo yes > out/yes; cat out/yes";
        assert.deepEqual(await said(session.run(run)), ["held", "yes"]);
        await assert.rejects(session.files.writeFiles([{ path: `${at}/no`, data: "" }]), isApiError(403));
        await session.files.writeFiles([{ path: `${at}/out/called`, data: "" }]);
      });
      const once = isolation.runOnce("cat /tmp/d/file", at, { binds: [{ source: `${at}/data`, dest: "/tmp/d" }] });
      assert.deepEqual(await said(once), ["data"]);
    },
  },
  {
    name: "isolated mounts: a user's number inside",
    async run(surface) {
      const at = await surface.directory("mounts-user");
      const isolation = isolationOf(surface);
      const asked = { workspace: { path: at, mode: "rw" as const }, uid: 1234, gid: 77, uid_mode: "userns" as const };
      await isolation.withSession(asked, async (session) => {
        const { uid, gid, uid_mode } = await session.get();
        assert.deepEqual({ uid, gid, uid_mode }, { uid: 1234, gid: 77, uid_mode: "userns" });
        assert.deepEqual(await said(session.run("id -u; id -g; touch own; stat -c '%u %g' own")), [
          "1234",
          "77",
          "1234 77",
        ]);
      });
      await isolation.withSession({ workspace: { path: at, mode: "rw" }, uid: 0 }, async (session) => {
        assert.equal((await session.get()).uid_mode, "userns");
        const run =
          "id -u; grep -c '^Cap...:.0000000000000000$' /proc/self/status; chown 5 own 2>/dev/null || echo held";
        assert.deepEqual(await said(session.run(run)), ["0", "5", "held"]);
      });
      await isolation.withSession({ workspace: { path: at }, uid_mode: "setpriv" }, async (session) => {
        assert.equal((await session.get()).uid_mode, "setpriv");
        assert.equal((await session.run("test $(id -u) != 1234")).exitCode, 0);
      });
    },
  },
  {
    name: "isolated mounts: what isn't anybody's to give, or has no place",
    async run(surface) {
      const at = await surface.directory("mounts-refused");
      for (const name of ["one", "two"]) await surface.directory(`mounts-refused/${name}`);
      await surface.sdk.files.writeFiles([{ path: `${at}/file`, data: "" }]);
      await surface.sdk.commands.run(`ln -s /etc ${at}/etc; mkfifo ${at}/pipe; ln -s one ${at}/inner`);
      const isolation = isolationOf(surface);
      const [outside, invalid] = [/403.*OUTSIDE_WORKSPACE/, /400.*INVALID_REQUEST_BODY/];
      for (const path of ["/", "/etc", `${at}/etc`, `${at}/../../..`, "/proc/self/root"])
        await assert.rejects(isolation.create({ workspace: { path } }), outside, path);
      for (const path of [`${at}/file`, `${at}/file/below`, `${at}/pipe`])
        await assert.rejects(isolation.create({ workspace: { path } }), invalid, path);
      const workspace = { path: `${at}/one`, mode: "rw" as const };
      for (const source of ["/", "/etc", "/proc", "/dev/shm", "/tmp", "/root", `${at}/etc`, `${at}/etc/ssl`]) {
        await assert.rejects(isolation.create({ workspace, binds: [{ source, readonly: true }] }), outside, source);
        await assert.rejects(isolation.create({ workspace, extra_writable: [source] }), outside, source);
      }
      for (const source of [`${at}/file`, `${at}/pipe`, `${at}/absent`])
        await assert.rejects(isolation.create({ workspace, extra_writable: [source] }), invalid, source);
      const source = `${at}/two`;
      const places = ["/", "/proc", "/proc/self", "/dev", "/dev/shm/x", "/sys", "/etc", "/etc/ssl", "/usr/bin", "/tmp"];
      const more = ["/root", "/home/x", "/run/x", "/var/tmp/x", "/var", workspace.path, at, "/no/such/place"];
      for (const dest of [...places, ...more, `${workspace.path}/../x`, `${workspace.path}/./x`, "//etc"])
        await assert.rejects(isolation.create({ workspace, binds: [{ source, dest }] }), invalid, dest);
      const twice = ["/tmp/x", "/tmp/x/"].map((dest) => ({ source, dest }));
      await assert.rejects(isolation.create({ workspace, binds: twice }), invalid);
      // A link is followed where it stays inside, and is what it leads to.
      await isolation.withSession({ workspace: { path: `${at}/inner` } }, async (session) => {
        assert.equal(session.info.workspace?.path, `${at}/one`);
      });
      await surface.sdk.commands.run(`ln -s /etc ${at}/one/link; ln -s /tmp ${at}/one/tmp`);
      for (const dest of [`${at}/one/link`, `${at}/one/link/ssl`, `${at}/one/tmp/x`])
        await assert.rejects(isolation.create({ workspace, binds: [{ source, dest }] }), invalid, dest);
    },
  },
];
