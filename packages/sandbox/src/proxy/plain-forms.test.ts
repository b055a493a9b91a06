import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { answer, brief, exchange, jsonRequest, RawExecd, standBefore } from "../../test/recording-proxy.ts";

const sha = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`;
const request = (line: string, body = "", headers = "") =>
  `${line} HTTP/1.1\r\nHost: execd\r\nConnection: close\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`;

/** What is told of a call to an execd that has these forms, and in which the files that are named `old` are there already. */
async function toldOf(sent: string, body: string, count = 1): Promise<object[]> {
  const answered = (text: string) => {
    if (!text.startsWith("GET /files/info")) return answer("200 OK", body);
    return text.includes("old") ? answer("200 OK", "{}") : answer("404 Not Found", '{"code":"FILE_NOT_FOUND"}');
  };
  const execd = await RawExecd.start((socket, text) => socket.end(answered(text)));
  await using stand = await standBefore(execd.url);
  assert.equal((await exchange(stand.port, sent)).toString(), answered(sent));
  const frames = await stand.sink.have(count);
  await stand.proxy.close();
  execd.close();
  return frames.map(brief);
}

test("ADR-0027's plain forms of files and directories are told as what they do", async () => {
  const files = { endpoint: "/files" };
  const directories = { endpoint: "/directories" };
  assert.deepEqual(await toldOf(request("GET /files?path=/a"), "content"), [
    {
      ...{ ...files, type: "filesystem.file.read", route: "GET /files" },
      ...{ input: { path: "/a" }, output: { content_hash: sha("content") } },
    },
  ]);
  for (const method of ["POST", "PUT"]) {
    for (const [path, type] of [
      ["/new", "filesystem.file.create"],
      ["/old", "filesystem.file.modify"],
    ] as const) {
      assert.deepEqual(await toldOf(request(`${method} /files?path=${path}`, "four"), ""), [
        {
          ...{ ...files, type, route: `${method} /files` },
          ...{ input: { path, content_hash: sha("four") }, output: { bytes_written: 4 } },
        },
      ]);
    }
  }
  assert.deepEqual(await toldOf(request("DELETE /files?path=/a&path=/b"), "", 2), [
    { ...files, type: "filesystem.file.delete", route: "DELETE /files", input: { path: "/a" }, output: {} },
    { ...files, type: "filesystem.file.delete", route: "DELETE /files", input: { path: "/b" }, output: {} },
  ]);
  assert.deepEqual(await toldOf(request("GET /directories?path=/d"), "[]"), [
    {
      ...{ ...directories, type: "filesystem.directory.list", route: "GET /directories" },
      ...{ input: { path: "/d" }, output: { entries_hash: sha("[]") } },
    },
  ]);
  assert.deepEqual(await toldOf(jsonRequest("POST /directories", '{"/d":{}}'), ""), [
    {
      ...directories,
      type: "filesystem.directory.create",
      route: "POST /directories",
      input: { path: "/d" },
      output: {},
    },
  ]);
});

test("a PUT on a missing path that execd refuses created nothing, and is told as the change that it asks for", async () => {
  for (const [method, type] of [
    ["PUT", "filesystem.file.modify"],
    ["POST", "filesystem.file.create"],
  ] as const) {
    const execd = await RawExecd.start((socket) => socket.end(answer("404 Not Found", "404 page not found")));
    await using stand = await standBefore(execd.url);
    await exchange(stand.port, request(`${method} /files?path=/missing`, "four"));
    assert.deepEqual((await stand.sink.have(1)).map(brief), [
      {
        ...{ endpoint: "/files", type, route: `${method} /files` },
        ...{ input: { path: "/missing", content_hash: sha("four") }, error: "HTTP 404" },
      },
    ]);
    await stand.proxy.close();
    execd.close();
  }
});

test("a plain form that names no file is told by the hash of what was sent", async () => {
  const [told] = (await toldOf(request("POST /files", "four"), "")) as [
    { type: string; output?: object; input: object },
  ];
  assert.ok(told.type.startsWith("filesystem.file."), told.type);
  assert.ok(JSON.stringify(told).includes(sha("four")), "what was sent is known by its hash");
});
