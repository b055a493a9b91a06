import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { answer, exchange, jsonRequest, RawExecd, type Stand, standBefore } from "../../test/recording-proxy.ts";
import type { ProxyLimits } from "./http/proxy-limits.ts";
import type { Denial, Gate, Permit } from "./record/before.ts";

/** A gate before which calls wait until they are let go. */
async function waiting(t: { after(end: () => unknown): void }, limits: Partial<ProxyLimits>) {
  const execd = await RawExecd.start((socket) =>
    socket.write(answer("200 OK", "{}").replace("Connection: close\r\n", "")),
  );
  const waits: ((decision: Permit | Denial) => void)[] = [];
  const seen: (() => void)[] = [];
  const gate: Gate = {
    holds: ({ operation }) => operation === "command.run",
    before: () => {
      const { promise, resolve } = Promise.withResolvers<Permit | Denial>();
      waits.push(resolve);
      for (const wake of seen.splice(0)) wake();
      return promise;
    },
  };
  const stand = await standBefore(execd.url, { gate, limits });
  t.after(async () => {
    for (const decide of waits) decide({ kind: "denial", status: 403, code: "DENIED", message: "over" });
    await stand[Symbol.asyncDispose]();
    execd.close();
  });
  const asked = async (count: number) => {
    while (waits.length < count) await new Promise<void>((resolve) => seen.push(resolve));
    return waits[count - 1] as (decision: Permit | Denial) => void;
  };
  return { stand, execd, asked };
}

const command = (bytes: number, headers?: string) =>
  jsonRequest("POST /command", JSON.stringify({ command: "x".repeat(bytes) }), headers);

function open({ port }: Stand): Socket {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.on("error", () => socket.destroy());
  return socket;
}

test("what all calls that wait hold together is limited, and is free again when one is decided or gone", async (t) => {
  const { stand, asked } = await waiting(t, { heldBytes: 64 * 1024 });
  const first = open(stand);
  first.write(command(40_000));
  const decide = await asked(1);
  const busy = (await exchange(stand.port, command(40_000))).toString();
  assert.match(busy, /^HTTP\/1\.1 503 .*"code":"GATE_BUSY"/s);
  const small = open(stand);
  small.write(command(1_000));
  await asked(2);
  decide({ kind: "permit" });
  await once(first, "data");
  const second = open(stand);
  second.write(command(40_000));
  await asked(3);
  second.destroy();
  // The proxy hears of it when it does: until then it says that it is busy, and nothing else.
  for (let tries = 0, told = false; !told; tries += 1) {
    assert.ok(tries < 1_000);
    const third = open(stand);
    third.write(command(40_000));
    const said = once(third, "data").then(([bytes]) => String(bytes));
    told = await Promise.race([asked(4).then(() => true), said.then((text) => !text.includes("GATE_BUSY"))]);
    if (!told) third.destroy();
  }
});

test("what is sent ahead, and heads that aren't whole, count too", async (t) => {
  const { stand, asked, execd } = await waiting(t, { heldBytes: 64 * 1024 });
  const first = open(stand);
  first.write(command(1_000, ""));
  const decide = await asked(1);
  first.write(`GET /ping HTTP/1.1\r\nHost: x\r\nX: ${"y".repeat(80_000)}\r\n\r\n`);
  // Once that has arrived there is no room for another.
  for (let tries = 0, text = ""; !text.includes("GATE_BUSY"); tries += 1) {
    assert.ok(tries < 1_000);
    const other = open(stand);
    const said = once(other, "data").then(([bytes]) => String(bytes));
    other.write(command(1_000));
    text = await Promise.race([said, asked(tries + 2).then(() => "asked")]);
    other.destroy();
  }
  assert.match((await exchange(stand.port, "GET /ping HTTP/1.1\r\nHost: x")).toString(), /503 .*"code":"PROXY_BUSY"/s);
  decide({ kind: "permit" });
  while (!execd.bytes.includes("/ping")) await once(first, "data");
});

test("half a call that waits doesn't keep what it holds", async (t) => {
  const { stand } = await waiting(t, { stallMs: 50 });
  const half = command(1_000).slice(0, -500);
  assert.match((await exchange(stand.port, half)).toString(), /^HTTP\/1\.1 408 .*"code":"GATE_STALLED"/s);
});

test("agents that ask for nothing are limited in number and in time, and half a head has less of it", async (t) => {
  const { stand, asked } = await waiting(t, { idleAgents: 2, idleMs: 600_000, headMs: 600_000 });
  const first = open(stand);
  await once(first, "connect");
  const busy = open(stand);
  busy.write(command(10));
  await asked(1);
  const others = [open(stand), open(stand)];
  await once(first.resume(), "end");
  assert.deepEqual(
    [busy, ...others].map((socket) => socket.readableEnded),
    [false, false, false],
  );
  for (const socket of [first, busy, ...others]) socket.destroy();

  const silent = await waiting(t, { idleMs: 600_000, headMs: 50 });
  await once(open(silent.stand).resume(), "end");
  const short = await waiting(t, { idleMs: 50, headMs: 600_000 });
  const kept = open(short.stand);
  kept.write("GET /ping HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(kept, "data");
  await once(kept.resume(), "end");
  const slow = await waiting(t, { idleMs: 600_000, headMs: 50 });
  const got = (await exchange(slow.stand.port, "GET /pi", "ng HTTP/1.1\r\n")).toString();
  assert.match(got, /^HTTP\/1\.1 408 .*"code":"REQUEST_TIMEOUT"/s);
});
