import assert from "node:assert/strict";
import { once } from "node:events";
import fs from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { syncBuiltinESMExports } from "node:module";
import { test } from "node:test";

test("a relay whose disk has failed isn't well, and says why", async (t) => {
  let isBroken = false;
  const fsync = fs.fsync;
  t.mock.method(fs, "fsync", (fd: number, done: fs.NoParamCallback) =>
    isBroken ? done(new Error("EIO: the disk is broken")) : fsync(fd, done),
  );
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  // Not before: they take fsync as it is when they are loaded.
  const { readBundle } = await import("../src/index.ts");
  const { frameOf, RelayHere } = await import("./relay-here.ts");
  const here = await RelayHere.make(t);
  await here.start();
  const { key, cert, ca } = readBundle(await here.bundle("box"));
  const post = async (n: number) => {
    const headers = { "content-type": "application/json" };
    const sent = request(new URL("/ingest", here.url), { method: "POST", agent: false, key, cert, ca, headers });
    sent.end(JSON.stringify(frameOf("box", n)));
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  const health = async () => {
    const { status, spoolProblem } = await here.health();
    return [status, spoolProblem];
  };
  assert.deepEqual([await post(1), await health()], [200, ["ok", undefined]]);
  isBroken = true;
  assert.deepEqual([await post(2), await health()], [503, ["failing", "EIO: the disk is broken"]]);
  // It may say now that it keeps what it hasn't kept before.
  isBroken = false;
  assert.deepEqual([await post(3), await health()], [503, ["failing", "EIO: the disk is broken"]]);
});
