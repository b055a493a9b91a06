import assert from "node:assert/strict";
import { isApiError, type Surface, type SurfaceStep, texts, until } from "./surface.ts";

function isolationOf({ sdk: { isolation } }: Surface) {
  assert.ok(isolation);
  return isolation;
}

export const ISOLATION: readonly SurfaceStep[] = [
  {
    name: "isolation: made, looked at, attached to, deleted",
    async run(surface) {
      const isolation = isolationOf(surface);
      const { available, setpriv_available, userns_available, commit_supported, diff_supported } =
        await isolation.capabilities();
      assert.deepEqual(
        { available, setpriv_available, userns_available, commit_supported, diff_supported },
        {
          ...{ available: true, setpriv_available: true, userns_available: true },
          ...{ commit_supported: false, diff_supported: false },
        },
      );
      const asked: Parameters<typeof isolation.create>[0] = {
        ...{ workspace: { path: surface.target.directory }, profile: "balanced", idle_timeout_seconds: 600 },
        env_passthrough: { mode: "allow", keys: ["NOBODY_HAS_IT"] },
      };
      const session = await isolation.create(asked);
      const made = { ...asked, workspace: { path: surface.target.directory, mode: "overlay" }, share_net: false };
      assert.deepEqual(session.info, { ...made, session_id: session.sessionId, created_at: session.info.created_at });
      const { idle_remaining_seconds: left, last_run_at, ...state } = await session.get();
      assert.deepEqual(state, { ...made, status: "active", created_at: session.info.created_at });
      assert.equal(last_run_at, session.info.created_at);
      assert.ok(typeof left === "number" && left > 0 && left <= 600);
      assert.ok((await isolation.list()).some(({ session_id }) => session_id === session.sessionId));
      const attached = await isolation.attach(session.sessionId);
      assert.deepEqual(attached.info, session.info);
      assert.deepEqual(texts((await attached.run("echo attached")).logs.stdout), ["attached"]);
      await session.delete();
      await assert.rejects(session.get(), /404.*CONTEXT_NOT_FOUND/);
      await assert.rejects(isolation.attach("nobody"), /404.*CONTEXT_NOT_FOUND/);
    },
  },
  {
    name: "isolation: runs keep the directory and what is exported; codes, variables of one run, timeout",
    async run(surface) {
      const { directory } = surface.target;
      await isolationOf(surface).withSession({ workspace: { path: directory } }, async (session) => {
        const first = await session.run("pwd; mkdir -p isolated-runs; cd isolated-runs; export WORD=kept");
        assert.deepEqual([first.exitCode, texts(first.logs.stdout)], [0, [directory]]);
        const envs = { WORD: "it's for\nonce", OTHER: "1" };
        const second = await session.run('pwd; echo "$WORD $OTHER"; echo oops >&2; false', { envs });
        assert.deepEqual(texts(second.logs.stdout), [`${directory}/isolated-runs`, "it's for", "once 1"]);
        assert.deepEqual([second.exitCode, texts(second.logs.stderr)], [1, ["oops"]]);
        const third = await session.run('echo "$WORD-$OTHER"');
        assert.deepEqual(texts(third.logs.stdout), ["kept-"]);
        const late = await session.run("sleep 60", { timeout_seconds: 1 });
        assert.deepEqual([late.exitCode, late.complete], [null, undefined]);
        assert.equal((await session.run("true")).exitCode, 0);
        await assert.rejects(session.run("true", { envs: { "a b": "1" } }), isApiError(400, "INVALID_REQUEST_BODY"));
      });
      const once = await isolationOf(surface).runOnce("echo once; exit 4", directory);
      assert.deepEqual([once.exitCode, texts(once.logs.stdout)], [4, ["once"]]);
    },
  },
  {
    name: "isolation: its files",
    async run(surface) {
      const { directory } = surface.target;
      await isolationOf(surface).withSession({ workspace: { path: directory } }, async ({ files }) => {
        const at = `${directory}/isolated-files`;
        await files.createDirectories([{ path: at, mode: 755 }]);
        await files.writeFiles([{ path: `${at}/a.txt`, data: "one\ntwo\n", mode: 644 }]);
        assert.equal(await files.readFile(`${at}/a.txt`, { range: "bytes=4-6" }), "two");
        assert.equal(await files.readFile(`${at}/a.txt`, { offset: 2, limit: 1 }), "two\n");
        assert.deepEqual([...(await files.readBytes(`${at}/a.txt`, { range: "bytes=3-4" }))], [10, 116]);
        const streamed: Uint8Array[] = [];
        for await (const chunk of files.readBytesStream(`${at}/a.txt`)) streamed.push(chunk);
        assert.equal(Buffer.concat(streamed).toString(), "one\ntwo\n");
        const detailed = files.replaceContentsDetailed([{ path: `${at}/a.txt`, oldContent: "one", newContent: "two" }]);
        assert.deepEqual(await detailed, []);
        assert.equal(await files.readFile(`${at}/a.txt`), "two\ntwo\n");
        await files.replaceContents([{ path: `${at}/a.txt`, oldContent: "two\ntwo", newContent: "one\ntwo" }]);
        await files.replaceContents([{ path: `${at}/a.txt`, oldContent: "two", newContent: "three" }]);
        await files.setPermissions([{ path: `${at}/a.txt`, mode: 600 }]);
        await files.moveFiles([{ src: `${at}/a.txt`, dest: `${at}/b.txt` }]);
        const info = (await files.getFileInfo([`${at}/b.txt`]))[`${at}/b.txt`];
        assert.deepEqual([info?.size, info?.mode], [10, 600]);
        const found = await files.search({ path: at, pattern: "*.txt" });
        assert.deepEqual(
          found.map(({ path }) => path),
          [`${at}/b.txt`],
        );
        assert.equal((await files.listDirectory({ path: at })).length, 1);
        await files.deleteFiles([`${at}/b.txt`]);
        await assert.rejects(files.readFile(`${at}/b.txt`), isApiError(404));
        await files.deleteDirectories([at]);
        await assert.rejects(files.readFile("/etc/hostname"), isApiError(403));
      });
    },
  },
  {
    name: "isolation: a workspace that is only read",
    async run(surface) {
      const at = await surface.directory("isolated-read");
      await surface.sdk.files.writeFiles([{ path: `${at}/a.txt`, data: "read me" }]);
      const workspace = { path: surface.target.directory, mode: "ro" } as const;
      await isolationOf(surface).withSession({ workspace }, async (session) => {
        const { files } = session;
        assert.equal(await files.readFile(`${at}/a.txt`), "read me");
        assert.deepEqual(texts((await session.run(`cat ${at}/a.txt`)).logs.stdout), ["read me"]);
        await assert.rejects(files.writeFiles([{ path: `${at}/b.txt`, data: "" }]), isApiError(403));
        await assert.rejects(files.deleteFiles([`${at}/a.txt`]), isApiError(403));
        await assert.rejects(files.setPermissions([{ path: `${at}/a.txt`, mode: 777 }]), isApiError(403));
      });
      assert.equal(await surface.sdk.files.readFile(`${at}/a.txt`), "read me");
    },
  },
  {
    name: "isolation: one that nobody uses ends",
    async run(surface) {
      const isolation = isolationOf(surface);
      const workspace = { path: surface.target.directory };
      const { sessionId } = await isolation.create({ workspace, idle_timeout_seconds: 1 });
      await until(async () =>
        (await isolation.list()).every(({ session_id }) => session_id !== sessionId) ? true : undefined,
      );
      await assert.rejects(isolation.attach(sessionId), /404.*CONTEXT_NOT_FOUND/);
    },
  },
  {
    name: "isolation: what it can't give is refused, and nothing left out",
    async run(surface) {
      const isolation = isolationOf(surface);
      const workspace = { path: surface.target.directory };
      const [unsupported, invalid] = [/503.*NOT_SUPPORTED/, /400.*INVALID_REQUEST_BODY/];
      await assert.rejects(isolation.create({ workspace, share_net: true }), unsupported);
      // It becomes no other user of the machine, and nobody's root.
      await assert.rejects(isolation.create({ workspace, uid_mode: "setpriv", uid: 12_345 }), unsupported);
      await assert.rejects(isolation.create({ workspace, uid_mode: "setpriv", gid: 12_345 }), unsupported);
      await assert.rejects(isolation.create({ workspace, uid: 2 ** 31 }), invalid);
      await assert.rejects(isolation.create({ workspace, uid_mode: "root" as never }), invalid);
      await assert.rejects(isolation.create({ workspace, binds: [{ source: "below" }] }), invalid);
      await assert.rejects(isolation.create({ workspace, binds: [{ source: "/", dest: "below" }] }), invalid);
      await assert.rejects(isolation.create({ workspace, extra_writable: [""] }), invalid);
      const many = Array.from({ length: 65 }, (_, at) => `${workspace.path}/${at}`);
      await assert.rejects(isolation.create({ workspace, extra_writable: many }), /413.*TOO_MANY_MOUNTS/);
      const strange = { workspace: { ...workspace, mode: "rx" } } as never;
      await assert.rejects(isolation.create(strange), /400.*INVALID_REQUEST_BODY/);
      await assert.rejects(isolation.create({ workspace: { path: "" } }), /400.*INVALID_REQUEST_BODY/);
      await assert.rejects(isolation.create({ workspace, idle_timeout_seconds: -1 }), /400.*INVALID_REQUEST_BODY/);
    },
  },
];
