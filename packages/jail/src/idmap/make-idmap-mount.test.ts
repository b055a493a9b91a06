import assert from "node:assert/strict";
import { closeSync, lstatSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { possessions, USER, whyNoIdmapMounts, workspaceOf } from "../../test/support/idmap-fixture.ts";
import { identityOf } from "../base/mapped-path.ts";
import { makeIdmapMount } from "./make-idmap-mount.ts";

const skip = (await whyNoIdmapMounts()) ?? false;

function make(path: string, identity: string, signal = new AbortController().signal): Promise<number> {
  return makeIdmapMount({ user: USER, directory: "/dev/shm/room", paths: [{ path, identity }] }, signal);
}

test("what was replaced after the hub looked at it isn't opened", { skip }, async (t) => {
  const workspace = workspaceOf(t, 0);
  const before = possessions();
  const identity = identityOf(lstatSync(workspace, { bigint: true }));
  const elsewhere = join(workspace, "elsewhere");
  mkdirSync(elsewhere);
  // The same directory, but by a way that whoever made the link chose.
  const link = join(elsewhere, "link");
  symlinkSync(dirname(workspace), link);
  symlinkSync(workspace, join(elsewhere, "last"));
  const replaced = [elsewhere, join(link, "workspace"), join(elsewhere, "last"), join(elsewhere, "absent")];
  for (const path of replaced) await assert.rejects(make(path, identity), { code: "PATH_CHANGED" }, path);
  assert.deepEqual(possessions(), before);
});

test("nothing of the hub's environment reaches the maker, which is still root", { skip }, async (t) => {
  const workspace = workspaceOf(t, 0);
  process.env.NODE_OPTIONS = "--require=/nonexistent";
  t.after(() => delete process.env.NODE_OPTIONS);
  closeSync(await make(workspace, identityOf(lstatSync(workspace, { bigint: true }))));
});

test("what the maker can't do is told in the system's words, and leaves nothing", { skip }, async (t) => {
  const workspace = workspaceOf(t, 0);
  const before = possessions();
  const paths = [{ path: workspace, identity: identityOf(lstatSync(workspace, { bigint: true })) }];
  const request = { user: USER, paths, directory: "/dev/shm/absent/room" };
  const making = makeIdmapMount(request, new AbortController().signal);
  await assert.rejects(making, { code: "ROOM_FAILED", message: /ENOENT.*absent/ });
  assert.deepEqual(possessions(), before);
});
