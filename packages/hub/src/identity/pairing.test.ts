import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../test/support/fake-clock.ts";
import type { Devices } from "./devices.ts";
import { Pairing } from "./pairing.ts";
import type { Tokens } from "./tokens.ts";

function open() {
  const clock = new FakeClock();
  return { clock, pairing: new Pairing({} as Tokens, {} as Devices, clock) };
}

const CLAIM = { name: "phone", publicKey: "A".repeat(43), secret: "its own" };

test("a code lives for two minutes, by whichever clock is the first", async () => {
  for (const pass of [(clock: FakeClock) => clock.advance(120_000), (clock: FakeClock) => clock.setWall(120_000)]) {
    const { clock, pairing } = open();
    const { code } = pairing.start();
    clock.advance(1);
    assert.equal((await pairing.see(code)).state, "open");
    pass(clock);
    await assert.rejects(pairing.claim({ code, ...CLAIM }), { code: "NOT_FOUND" });
  }
});

test("whoever waits for a code that expires is told so", async () => {
  const { clock, pairing } = open();
  const { code } = pairing.start();
  const seen = assert.rejects(pairing.see(code, { waitMs: 25_000 }), { code: "NOT_FOUND" });
  clock.advance(120_000);
  await seen;
});

test("so many codes, and so many who wait for one", async () => {
  const { pairing } = open();
  const codes = Array.from({ length: 16 }, () => pairing.start().code);
  assert.throws(() => pairing.start(), { code: "LIMIT" });
  const [code = ""] = codes;
  const gone = new AbortController();
  const waiting = Array.from({ length: 8 }, () => pairing.see(code, { waitMs: 25_000, gone: gone.signal }));
  await assert.rejects(pairing.see(code, { waitMs: 25_000 }), { code: "LIMIT" });
  gone.abort();
  assert.deepEqual(new Set((await Promise.all(waiting)).map(({ state }) => state)), new Set(["open"]));
});

test("a code that is refused before it is claimed lets nobody in", async () => {
  const { pairing } = open();
  const { code } = pairing.start();
  pairing.refuse(code);
  await assert.rejects(pairing.claim({ code, ...CLAIM }), { code: "NOT_FOUND" });
  await assert.rejects(pairing.collect({ code, secret: CLAIM.secret }), { code: "NOT_FOUND" });
});
