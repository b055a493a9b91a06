import assert from "node:assert/strict";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { SharedSigning } from "./shared-signing.ts";

/** Stands for a signature: which message it is of, and who made it. */
function signAs(name: number) {
  return (message: Uint8Array) => new Uint8Array(64).fill(message[0] as number).fill(name, 63);
}

function messages(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, at) => new Uint8Array(at % 7 === 0 ? 1 : 300).fill(at));
}

function signaturesIn(signing: SharedSigning, count: number): readonly (readonly [of: number, by: number])[] {
  return Array.from({ length: count }, (_, at) => {
    const signature = signing.signature(at);
    return [signature[0] as number, signature[63] as number] as const;
  });
}

/** Signs some at a time until none is left, as `name`. */
const OTHER = `
  const { workerData, parentPort } = require("node:worker_threads");
  import(workerData.url).then(({ SharedSigning }) => {
    const signing = new SharedSigning(workerData.shared);
    const sign = (message) => new Uint8Array(64).fill(message[0]).fill(2, 63);
    parentPort.postMessage("ready");
    while (signing.signSome(1, sign));
    parentPort.postMessage("done");
  });`;

test("each message is signed once, by whoever comes to it first, and the one that waits sees them all", async () => {
  const signing = SharedSigning.of(messages(200));
  const url = new URL("./shared-signing.ts", import.meta.url).href;
  const other = new Worker(OTHER, { eval: true, execArgv: [], workerData: { url, shared: signing.shared } });
  await new Promise((resolve) => other.once("message", resolve));
  let own = 0;
  signing.signRest((message) => {
    own += 1;
    return signAs(1)(message);
  });
  const signed = signaturesIn(signing, 200);
  assert.deepEqual(
    signed.map(([of]) => of),
    messages(200).map(([first]) => first),
  );
  assert.equal(signed.filter(([, by]) => by === 1).length, own);
  assert.equal(signed.filter(([, by]) => by === 2).length, 200 - own);
  await other.terminate();
});

test("a few are signed at a time, and none twice", () => {
  const signing = SharedSigning.of(messages(5));
  const left = [3, 3, 3].map((most) => signing.signSome(most, signAs(1)));
  assert.deepEqual(left, [true, false, false]);
  signing.signRest(() => assert.fail("nothing is left"));
  assert.deepEqual(
    signaturesIn(signing, 5).map(([of]) => of),
    [0, 1, 2, 3, 4],
  );
});

test("one that can't be signed, by either, fails the rest instead of being waited for", () => {
  const fails = () => {
    throw new Error("no key");
  };
  const signing = SharedSigning.of(messages(3));
  assert.throws(() => signing.signSome(1, fails), /no key/);
  assert.throws(() => new SharedSigning(signing.shared).signRest(signAs(1)), /another thread/);
  assert.throws(() => SharedSigning.of(messages(3)).signRest(fails), /no key/);
});

test("of no messages all are signed", () => {
  SharedSigning.of([]).signRest(() => assert.fail("there is none"));
});
