import assert from "node:assert/strict";
import { test } from "node:test";
import { threads } from "../../../test/hash-threads.ts";
import { Digests } from "../digest/digests.ts";
import { FormTap } from "./form-tap.ts";

const CHUNK = Buffer.alloc(64 * 1024, "x");
const HEAD = Buffer.from('\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n');

test("a form is behind as long as a file that went to the thread is, whatever comes after it", async () => {
  const digests = new Digests({ url: threads.silent });
  const tap = new FormTap("multipart/form-data; boundary=b", digests, () => undefined);
  const file = (chunks: number) => {
    tap.content(HEAD);
    for (let sent = 0; sent < chunks; sent++) tap.content(CHUNK);
  };
  // The end of each takes a block, of which there are four.
  for (let count = 0; count < 4; count++) file(5);
  assert.equal(tap.isBehind, false);
  file(0);
  assert.equal(tap.isBehind, true, "the next one has only begun");
  for (let count = 0; count < 10; count++) file(1);
  assert.equal(tap.isBehind, true, "there are small ones behind it");
  assert.equal(tap.fault, null);
  await digests.close();
  await tap.end();
  assert.equal(tap.isBehind, false);
});
