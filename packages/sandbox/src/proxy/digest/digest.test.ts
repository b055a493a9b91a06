import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { promisify } from "node:util";
import { threads } from "../../../test/hash-threads.ts";
import { BLOCK_BYTES } from "./block.ts";
import { Digest } from "./digest.ts";
import { Digests } from "./digests.ts";

const KIB = 1024;
const BYTES = randomBytes(5 * BLOCK_BYTES + 7);
/** Around what is kept, around a block, and over more blocks than there are. */
const LENGTHS = [0, 1, 256 * KIB - 1, 256 * KIB, 256 * KIB + 1, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1];

const sha = (bytes: Buffer) => ({ hash: `sha256:${createHash("sha256").update(bytes).digest("hex")}` });

/** In chunks of these lengths, in turns; as a socket's owner does, it waits where it has to. */
async function hashOf(digests: Digests, bytes: Buffer, ...lengths: readonly number[]) {
  const digest = new Digest(digests);
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const chunk = bytes.subarray(at, at + (lengths[turn % lengths.length] as number));
    at += chunk.length;
    // As whoever lets go of what it has written.
    const passing = Buffer.from(chunk);
    digest.update(passing);
    passing.fill(0);
    if (digest.isBehind) await digests.drained();
  }
  await digest.end();
  assert.equal(digest.bytes, bytes.length);
  return digest.hashed;
}

test("a hash is that of the bytes, however they are cut", async () => {
  const digests = new Digests();
  for (const length of [...LENGTHS, BYTES.length]) {
    const bytes = BYTES.subarray(0, length);
    for (const cut of [[64 * KIB], [length + 1], [1, 0, 70_001], [BLOCK_BYTES - 1, 2], [333]])
      assert.deepEqual(await hashOf(digests, bytes, ...cut), sha(bytes), `${length} bytes by ${cut}`);
  }
  await digests.close();
});

test("what is small is known at once, and begins no thread", async () => {
  const digest = new Digest(new Digests({ url: threads.broken }));
  digest.update(BYTES.subarray(0, 100));
  assert.equal(digest.end(), null);
  digest.update(BYTES);
  assert.deepEqual(digest.field("content_hash"), { content_hash: sha(BYTES.subarray(0, 100)).hash });
  assert.equal(digest.bytes, 100);
});

test("many at once share a thread, and each has its own hash", async () => {
  const digests = new Digests();
  const bodies = Array.from({ length: 300 }, (_, n) => BYTES.subarray(n * 7, n * 7 + 200 * KIB + n * KIB));
  const hashed = await Promise.all(bodies.map((bytes) => hashOf(digests, bytes, 64 * KIB, 1000)));
  assert.deepEqual(hashed, bodies.map(sha));
  await digests.close();
});

test("where no thread can begin, nothing is lost", async () => {
  for (const url of [threads.missing, threads.broken]) {
    const digests = new Digests({ url });
    const bodies = [BYTES, BYTES.subarray(1)];
    const hash = () => Promise.all(bodies.map((bytes) => hashOf(digests, bytes, 64 * KIB)));
    assert.deepEqual([await hash(), await hash()], [bodies.map(sha), bodies.map(sha)]);
  }
});

test("where no thread can begin, what waited for it is hashed before what comes after it", async () => {
  const digests = new Digests({ url: threads.missing });
  const [whole, other] = [new Digest(digests), new Digest(digests)];
  // More than there may be on its way: its last bytes are still here when its first come back.
  whole.update(BYTES.subarray(0, 4 * BLOCK_BYTES + 7));
  other.update(BYTES.subarray(0, 300 * KIB));
  await Promise.all([whole.end(), other.end()]);
  assert.deepEqual(
    [whole.hashed, other.hashed],
    [sha(BYTES.subarray(0, 4 * BLOCK_BYTES + 7)), sha(BYTES.subarray(0, 300 * KIB))],
  );
});

test("one that never begins is waited for no longer than its time", async () => {
  const stuck = new URL("data:text/javascript,setInterval(() => undefined, 1000)");
  assert.deepEqual(await hashOf(new Digests({ url: stuck, lateMs: 50 }), BYTES, 64 * KIB), sha(BYTES));
});

test("a thread that ends takes with it what it was hashing, and nothing that comes later", async () => {
  const digests = new Digests({ url: threads.dyingAt(2) });
  const [small, one, other] = [new Digest(digests), new Digest(digests), new Digest(digests)];
  small.update(BYTES.subarray(0, 10));
  for (const large of [one, other]) large.update(BYTES.subarray(0, 300 * KIB));
  for (const large of [one, other]) large.update(BYTES.subarray(300 * KIB));
  await Promise.all([one.end(), other.end()]);
  const lost = { lost: "HASH_THREAD_ENDED" };
  assert.deepEqual([one.hashed, other.hashed], [lost, lost], "never the hash of a part");
  small.update(BYTES.subarray(10));
  await small.end();
  assert.deepEqual(small.hashed, sha(BYTES), "its beginning was still here");
  assert.deepEqual(await hashOf(digests, BYTES, 64 * KIB), sha(BYTES));
});

test("what is lost in the middle stays lost, whatever still comes of it", async () => {
  const digests = new Digests({ url: threads.dyingAt(1) });
  const digest = new Digest(digests);
  digest.update(BYTES);
  assert.equal(digest.isBehind, true);
  await digests.drained();
  digest.update(BYTES);
  await digest.end();
  assert.deepEqual(digest.field("content_hash"), { unhashed: "HASH_THREAD_ENDED" });
});

test("a thread that says nothing holds bytes back after a few blocks, and is given up after its time", async () => {
  // Long enough for a thread to begin on a busy machine: one that hasn't would be done without.
  const digests = new Digests({ url: threads.silent, lateMs: 2000 });
  const digest = new Digest(digests);
  const others = Array.from({ length: 200 }, () => digests.open());
  let given = 0;
  while (!digest.isBehind) {
    digest.update(BYTES.subarray(0, 64 * KIB));
    given += 64 * KIB;
  }
  assert.equal(given, 4 * BLOCK_BYTES);
  const before = process.memoryUsage().arrayBuffers;
  const ends = others.map((other) => digests.finish(other));
  assert.ok(process.memoryUsage().arrayBuffers - before <= 2 * BLOCK_BYTES, "what ends meanwhile takes no block each");
  await Promise.all(Array.from({ length: 100 }, () => digests.drained()));
  await digest.end();
  const late = { lost: "HASH_THREAD_LATE" };
  assert.deepEqual([digest.hashed, ...(await Promise.all(ends))], [late, ...others.map(() => late)]);
});

test("while the thread has as much as it should, a body is behind after its end, and before it would go there", async () => {
  const digests = new Digests({ url: threads.silent });
  const [large, nearly, small] = [new Digest(digests), new Digest(digests), new Digest(digests)];
  large.update(BYTES.subarray(0, 4 * BLOCK_BYTES));
  const end = large.end();
  nearly.update(BYTES.subarray(0, 192 * KIB + 1));
  small.update(BYTES.subarray(0, 192 * KIB));
  assert.deepEqual([large.isBehind, nearly.isBehind, small.isBehind], [true, true, false]);
  assert.equal(nearly.end(), null);
  assert.equal(nearly.isBehind, false, "it is known, and never went there");
  await digests.close();
  await end;
  assert.equal(large.isBehind, false);
});

test("what all bodies keep of their beginnings has a limit, and is given back", async () => {
  const digests = new Digests();
  const bodies = Array.from({ length: 200 }, () => new Digest(digests));
  for (const body of bodies) body.update(BYTES.subarray(0, 200 * KIB));
  assert.equal(digests.keep(1024 * KIB), false, "40 MB have come, and 8 MiB are kept");
  await Promise.all(bodies.map((body) => body.end()));
  assert.deepEqual(
    bodies.map(({ hashed }) => hashed),
    bodies.map(() => sha(BYTES.subarray(0, 200 * KIB))),
  );
  assert.equal(digests.keep(8 * 1024 * KIB), true);
  await digests.close();
});

test("what is small is known at once, also where others keep all that they may", async () => {
  const digests = new Digests({ url: threads.broken });
  assert.equal(digests.keep(8 * 1024 * KIB), true);
  const [small, larger] = [new Digest(digests), new Digest(digests)];
  for (const length of [1, 15 * KIB, KIB - 1]) small.update(BYTES.subarray(small.bytes, small.bytes + length));
  assert.equal(small.end(), null);
  assert.deepEqual(small.hashed, sha(BYTES.subarray(0, 16 * KIB)));
  larger.update(BYTES.subarray(0, 16 * KIB));
  assert.equal(larger.isAtThread, false);
  larger.update(BYTES.subarray(16 * KIB, 16 * KIB + 1));
  assert.equal(larger.isAtThread, true);
  await larger.end();
  assert.deepEqual(larger.hashed, sha(BYTES.subarray(0, 16 * KIB + 1)));
  digests.letGo(8 * 1024 * KIB);
  assert.equal(digests.keep(8 * 1024 * KIB), true, "nothing else was taken");
});

test("a process doesn't end before a hash that it waits for, and then it does", async () => {
  const program = `
    import { Digest } from ${JSON.stringify(new URL("./digest.ts", import.meta.url).href)};
    import { Digests } from ${JSON.stringify(new URL("./digests.ts", import.meta.url).href)};
    const digest = new Digest(new Digests());
    digest.update(Buffer.alloc(3_000_000));
    digest.end().then(() => console.log(digest.hashed.hash));`;
  const run = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
  assert.equal(run.stdout.trim(), sha(Buffer.alloc(3_000_000)).hash);
});
