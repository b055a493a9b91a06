import assert from "node:assert/strict";
import { isApiError, type SurfaceStep } from "./surface.ts";

export const FILES: readonly SurfaceStep[] = [
  {
    name: "files: write, read, info",
    async run(surface) {
      const { files } = surface.sdk;
      const path = `${await surface.directory("files")}/deep/er/note.txt`;
      await files.writeFiles([{ path, data: "grüße\n", mode: 640 }]);
      assert.equal(await files.readFile(path), "grüße\n");
      const info = (await files.getFileInfo([path]))[path];
      assert.equal(info?.size, 8);
      assert.equal(info?.mode, 640);
      assert.equal(info?.type, "file");
      assert.equal(info?.path, path);
      assert.ok(info?.owner && info.group);
      assert.ok(Math.abs((info.modifiedAt?.getTime() ?? 0) - Date.now()) < 3_600_000);
      await files.writeFiles([{ path, data: new Uint8Array([0, 255, 10]) }]);
      assert.deepEqual([...(await files.readBytes(path))], [0, 255, 10]);
      assert.equal((await files.getFileInfo([path]))[path]?.mode, 640);
    },
  },
  {
    name: "files: a stream up and a stream down",
    async run(surface) {
      const { files } = surface.sdk;
      const path = `${await surface.directory("streams")}/numbers.bin`;
      const block = new Uint8Array(64 * 1024).map((_byte, at) => at % 251);
      await files.writeFiles([{ path, data: blocks(block, 48) }]);
      assert.equal((await files.getFileInfo([path]))[path]?.size, 48 * block.length);
      let size = 0;
      for await (const chunk of files.readBytesStream(path)) {
        for (const [at, byte] of chunk.entries())
          if (byte !== block[(size + at) % block.length]) assert.fail(`at ${size + at}`);
        size += chunk.length;
      }
      assert.equal(size, 48 * block.length);
    },
  },
  {
    name: "files: ranges and lines",
    async run(surface) {
      const { files } = surface.sdk;
      const path = `${await surface.directory("ranges")}/lines.txt`;
      await files.writeFiles([{ path, data: "one\ntwo\nthree\nfour" }]);
      assert.equal(await files.readFile(path, { range: "bytes=0-2" }), "one");
      assert.equal(await files.readFile(path, { range: "bytes=4-" }), "two\nthree\nfour");
      assert.equal(await files.readFile(path, { range: "bytes=-4" }), "four");
      assert.equal(await files.readFile(path, { range: "bytes=14-99" }), "four");
      assert.equal(await files.readFile(path, { offset: 2, limit: 2 }), "two\nthree\n");
      await assert.rejects(files.readFile(path, { range: "bytes=99-" }), isApiError(416));
      await assert.rejects(files.readFile(path, { offset: 0, limit: 1 }), isApiError(400));
    },
  },
  {
    name: "files: replace, with and without counts",
    async run(surface) {
      const { files } = surface.sdk;
      const path = `${await surface.directory("replace")}/text.txt`;
      await files.writeFiles([{ path, data: "a-b-a-b", mode: 600 }]);
      await files.replaceContents([{ path, oldContent: "a", newContent: "<&>" }]);
      assert.equal(await files.readFile(path), "<&>-b-<&>-b");
      const counts = await files.replaceContentsDetailed([{ path, oldContent: "b", newContent: "" }]);
      assert.deepEqual(counts, [{ path, replacedCount: 2 }]);
      assert.deepEqual(await files.replaceContentsDetailed([{ path, oldContent: "zzz", newContent: "" }]), [
        { path, replacedCount: 0 },
      ]);
      assert.equal(await files.readFile(path), "<&>--<&>-");
      assert.equal((await files.getFileInfo([path]))[path]?.mode, 600);
      const empty = files.replaceContents([{ path, oldContent: "", newContent: "x" }]);
      await assert.rejects(empty, isApiError(400, "INVALID_REQUEST_BODY"));
    },
  },
  {
    name: "files: move",
    async run(surface) {
      const { files } = surface.sdk;
      const directory = await surface.directory("move");
      const [from, to] = [`${directory}/from.txt`, `${directory}/new/to.txt`];
      await files.writeFiles([{ path: from, data: "moved" }]);
      await files.moveFiles([{ src: from, dest: to }]);
      assert.equal(await files.readFile(to), "moved");
      await assert.rejects(files.getFileInfo([from]), isApiError(404, "FILE_NOT_FOUND"));
      await assert.rejects(files.moveFiles([{ src: from, dest: to }]), isApiError(404, "FILE_NOT_FOUND"));
      await files.writeFiles([{ path: from, data: "another" }]);
      await assert.rejects(files.moveFiles([{ src: from, dest: to }]), isApiError(500, "RUNTIME_ERROR"));
    },
  },
  {
    name: "files: permissions",
    async run(surface) {
      const { files } = surface.sdk;
      const path = `${await surface.directory("permissions")}/tool.sh`;
      await files.writeFiles([{ path, data: "#!/bin/sh\n", mode: 644 }]);
      const { owner = "", group = "" } = (await files.getFileInfo([path]))[path] ?? {};
      await files.setPermissions([{ path, mode: 750, owner, group }]);
      const after = (await files.getFileInfo([path]))[path];
      assert.equal(after?.mode, 750);
      assert.equal(after?.owner, owner);
      const missing = files.setPermissions([{ path: `${path}.not`, mode: 600 }]);
      await assert.rejects(missing, isApiError(500, "RUNTIME_ERROR"));
      await assert.rejects(files.setPermissions([{ path, mode: 999 }]), isApiError(500, "RUNTIME_ERROR"));
    },
  },
  {
    name: "files: search",
    async run(surface) {
      const { files } = surface.sdk;
      const directory = await surface.directory("search");
      const names = ["a.txt", "b.md", "deep/c.txt", "deep/er/d.txt"];
      await files.writeFiles(names.map((name) => ({ path: `${directory}/${name}`, data: name })));
      const found = async (pattern?: string) =>
        (await files.search({ path: directory, ...(pattern !== undefined && { pattern }) })).map(({ path }) =>
          path.slice(directory.length + 1),
        );
      assert.deepEqual(await found("*.txt"), ["a.txt", "deep/c.txt", "deep/er/d.txt"]);
      assert.deepEqual(await found("[ab].*"), ["a.txt", "b.md"]);
      assert.deepEqual(await found(), names);
      assert.deepEqual(await found("none"), []);
      await assert.rejects(files.search({ path: `${directory}/no` }), isApiError(404, "FILE_NOT_FOUND"));
    },
  },
  {
    name: "files: delete",
    async run(surface) {
      const { files } = surface.sdk;
      const directory = await surface.directory("delete");
      const [one, two] = [`${directory}/one`, `${directory}/two`];
      await files.writeFiles([one, two].map((path) => ({ path, data: "x" })));
      await files.deleteFiles([one, two, `${directory}/never-was`]);
      assert.deepEqual(await files.search({ path: directory }), []);
      await assert.rejects(files.deleteFiles([directory]), isApiError(500, "RUNTIME_ERROR"));
    },
  },
  {
    name: "files: what isn't there",
    async run({ sdk, target }) {
      const path = `${target.directory}/never-was`;
      await assert.rejects(sdk.files.readFile(path), isApiError(404));
      await assert.rejects(sdk.files.getFileInfo([path]), isApiError(404, "FILE_NOT_FOUND"));
      const replaced = sdk.files.replaceContents([{ path, oldContent: "a", newContent: "b" }]);
      await assert.rejects(replaced, isApiError(404, "FILE_NOT_FOUND"));
    },
  },
  {
    name: "directories: create, list, delete",
    async run(surface) {
      const { files } = surface.sdk;
      const directory = await surface.directory("directories");
      await files.createDirectories([{ path: `${directory}/a/b/c`, mode: 711 }, { path: `${directory}/d` }]);
      await files.writeFiles([{ path: `${directory}/a/file`, data: "x" }]);
      const listed = async (depth?: number) =>
        (await files.listDirectory({ path: directory, ...(depth !== undefined && { depth }) })).map(
          ({ path, type }) => `${path.slice(directory.length + 1)} ${type}`,
        );
      assert.deepEqual(await listed(), ["a directory", "d directory"]);
      assert.deepEqual(await listed(2), ["a directory", "a/b directory", "a/file file", "d directory"]);
      assert.deepEqual(await listed(0), []);
      const made = `${directory}/a/b/c`;
      assert.equal((await files.getFileInfo([made]))[made]?.mode, 711);
      await files.deleteDirectories([`${directory}/a`, `${directory}/never-was`]);
      assert.deepEqual(await listed(), ["d directory"]);
      await assert.rejects(files.listDirectory({ path: `${directory}/a` }), isApiError(404, "FILE_NOT_FOUND"));
    },
  },
];

async function* blocks(block: Uint8Array, count: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < count; at += 1) yield block;
}
