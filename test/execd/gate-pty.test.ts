import assert from "node:assert/strict";
import { test } from "node:test";
import { assertRecord, PTY_SURFACE, PtySurface } from "../../packages/execd-dev/test/pty-surface.ts";
import { allowAll, openGated, TOKEN } from "./gated-execd.ts";

test("a client of terminals, with a person who allows each: used as without a gate, and on record byte for byte", async (t) => {
  const { url, server, directory, frames, close } = await openGated(t);
  const surface = new PtySurface({ url, token: TOKEN, directory });
  const person = allowAll(server);
  for (const step of PTY_SURFACE) await step.run(surface);
  await person.stop();
  assert.equal(person.asked.length, surface.terminals.length, "each was asked about once");
  await close();
  assertRecord(frames, surface);
  for (const { enforcement } of frames) assert.equal(enforcement, "advisory");
});
