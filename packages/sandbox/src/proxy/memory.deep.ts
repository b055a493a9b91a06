import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { standBefore } from "../../test/recording-proxy.ts";

const BLOCK = Buffer.alloc(1024 * 1024, "x");
const MIB = 1024 * 1024;

/** An execd that reads slowly enough that whoever sends faster has to wait. */
async function slowReader() {
  const server = createServer(async (call, response) => {
    if (call.method === "GET") return void response.writeHead(404).end("{}");
    let read = 0;
    for await (const chunk of call) {
      read += (chunk as Buffer).length;
      if (read % (8 * MIB) < 65536) await sleep(1);
    }
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

test("a gigabyte that passes leaves memory as it was", async () => {
  const server = await slowReader();
  await using stand = await standBefore(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  const before =
    '--b\r\nContent-Disposition: form-data; name="metadata"; filename="m"\r\n\r\n{"path":"/a"}\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n';
  const send = async (blocks: number) => {
    const agent = connect(stand.port, "127.0.0.1");
    const length = before.length + blocks * BLOCK.length + 9;
    agent.write(
      `POST /files/upload HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${length}\r\n\r\n${before}`,
    );
    let most = 0;
    for (let sent = 0; sent < blocks; sent++) {
      if (!agent.write(BLOCK)) await once(agent, "drain");
      most = Math.max(most, process.memoryUsage.rss());
    }
    agent.write("\r\n--b--\r\n");
    await once(agent.resume(), "close");
    return most;
  };
  const atFirst = await send(128);
  const later = await send(1024);
  assert.ok(later - atFirst < 64 * MIB, `${Math.round((later - atFirst) / MIB)} MiB more`);
  const frames = await stand.sink.have(2);
  assert.deepEqual(
    frames.map((frame) => frame.output),
    [{ bytes_written: 128 * MIB }, { bytes_written: 1024 * MIB }],
  );
  await stand.proxy.close();
  server.closeAllConnections();
  server.close();
});
