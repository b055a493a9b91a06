import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { standBefore } from "../../test/recording-proxy.ts";

// A file whose chunks are let go of as they pass: what execd and the agent have of it, and its hash, are of the same bytes.

const FILE = randomBytes(5 * 1024 * 1024 + 7);
const HASH = `sha256:${createHash("sha256").update(FILE).digest("hex")}`;

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Keeps what is sent to it, and gives the file to whoever downloads. */
async function keepingExecd(t: { after: (work: () => void) => void }) {
  const received: Buffer[] = [];
  const server = createServer(async (call, answer) => {
    if (call.url?.startsWith("/files/info")) return void answer.writeHead(404).end("{}");
    if (call.method === "GET") return void answer.end(FILE);
    received.push(await bytesOf(call));
    answer.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close().closeAllConnections());
  return { received, url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) };
}

async function send(port: number, path: string, options: object, body?: Buffer): Promise<Buffer> {
  const call = request({ host: "127.0.0.1", port, path, agent: false, ...options });
  const answered = once(call, "response") as Promise<[IncomingMessage]>;
  call.end(body);
  const [answer] = await answered;
  assert.equal(answer.statusCode, 200);
  return bytesOf(answer);
}

test("a large file, sent as a form, with a length and in chunks", async (t) => {
  const execd = await keepingExecd(t);
  await using stand = await standBefore(execd.url);
  const head = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\n\r\n`;
  const before = `${head("metadata")}{"path":"/a"}\r\n${head("file")}`;
  const form = Buffer.concat([Buffer.from(before), FILE, Buffer.from("\r\n--b--\r\n")]);
  for (const framing of [{ "Content-Length": form.length }, { "Transfer-Encoding": "chunked" }]) {
    const headers = { "Content-Type": "multipart/form-data; boundary=b", ...framing };
    await send(stand.port, "/files/upload", { method: "POST", headers }, form);
  }
  const frames = await stand.sink.have(2);
  assert.deepEqual(
    frames.map(({ input, output }) => ({ input, output })),
    Array.from({ length: 2 }, () => ({
      input: { path: "/a", content_hash: HASH },
      output: { bytes_written: FILE.length },
    })),
  );
  assert.deepEqual(
    execd.received.map((bytes) => bytes.equals(form)),
    [true, true],
  );
});

test("a large file, as a body that is kept to be read and then isn't", async (t) => {
  const execd = await keepingExecd(t);
  await using stand = await standBefore(execd.url);
  await send(stand.port, "/files?path=/a", { method: "PUT" }, FILE);
  const [frame] = await stand.sink.have(1);
  assert.deepEqual(frame?.input, { path: "/a", content_hash: HASH });
  assert.ok(execd.received[0]?.equals(FILE));
});

test("a large file that is downloaded", async (t) => {
  const execd = await keepingExecd(t);
  await using stand = await standBefore(execd.url);
  assert.ok((await send(stand.port, "/files/download?path=/a", {})).equals(FILE));
  const [frame] = await stand.sink.have(1);
  assert.deepEqual(frame?.output, { content_hash: HASH });
});
