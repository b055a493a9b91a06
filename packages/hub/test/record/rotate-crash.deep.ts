import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { keyFingerprint } from "@countersign/receipts";
import { nodeCrypto, signerFromPem } from "@countersign/receipts/node";
import { checkLedger, openSqliteStore, readReceipts } from "@countersign/store";
import { append, keep } from "../../../store/test/suite/samples.ts";
import { tempDirectory } from "../../../store/test/temp-store.ts";

const STRACE = "/usr/bin/strace";
const skip = existsSync(STRACE) ? false : "needs strace, which kills at a system call: apt-get install strace";
const MOST_STEPS = 100;

/** What makes a step of the change last: a system call, on certain files. */
interface Steps {
  readonly call: string;
  readonly files: (path: string) => readonly string[];
  readonly every: number;
  readonly atLeast: number;
}

const keyFiles = (path: string) => {
  const keys = join(dirname(path), "keys");
  const names = ["receipts", "receipts-next", "receipts-after"];
  return [keys, ...names.flatMap((name) => [join(keys, `${name}.pem`), join(keys, `${name}.pub.pem`)])];
};
const STEPS: Readonly<Record<string, Steps>> = {
  "renaming its key files": { call: "rename", files: keyFiles, every: 1, atLeast: 3 },
  "waiting for the disk about them": { call: "fsync", files: keyFiles, every: 1, atLeast: 6 },
  "overwriting the old key": { call: "pwrite64", files: keyFiles, every: 1, atLeast: 1 },
  "writing to the database": { call: "pwrite64", files: (path) => [`${path}-wal`], every: 4, atLeast: 5 },
};

/** Killed when it is about to do one of them for the nth time. */
async function rotateUntil(path: string, { call, files }: Steps, nth: number): Promise<string> {
  const injected = ["-e", `trace=${call}`, "-e", `inject=${call}:signal=KILL:when=${nth}`];
  const child = [process.execPath, join(import.meta.dirname, "../programs/rotate-child.ts"), path];
  const only = files(path).flatMap((file) => ["-P", file]);
  // strace counts for each thread: with one of them, all that is done to files is counted together.
  const env = { ...process.env, UV_THREADPOOL_SIZE: "1" };
  const traced = spawn(STRACE, ["-f", "-qq", "-o", "/dev/null", ...only, ...injected, "--", ...child], { env });
  return await text(traced.stdout);
}

for (const [name, steps] of Object.entries(STEPS)) {
  test(`killed anywhere in ${name}, the ledger has one key or the other, and goes on with it`, {
    skip,
  }, async (t) => {
    const path = join(tempDirectory(t), "x.db");
    const keys = join(dirname(path), "keys");
    const publicKeyIn = (file: string) => signerFromPem(readFileSync(join(keys, file), "utf8")).publicKey;
    const first = await openSqliteStore(path);
    await keep(first, append());
    await first.close();
    let [changes, killed, said] = [0, 0, ""];
    for (let nth = 1; nth <= MOST_STEPS && !said.includes("done"); nth += steps.every) {
      said = await rotateUntil(path, steps, nth);
      const why = `killed at ${nth}`;
      if (!said.includes("done")) killed += 1;
      const store = await openSqliteStore(path);
      await keep(store, append());
      const line = await store.ledgerKeys();
      await store.close();
      const check = await checkLedger(readReceipts(path));
      assert.ok(check.whole, `${why}: ${JSON.stringify(check)}`);
      // At most one change for each run, and the files are those of the key that the ledger names.
      assert.ok(line.length === changes + 1 || line.length === changes + 2, why);
      changes = line.length - 1;
      assert.deepEqual(publicKeyIn("receipts.pem"), line[0], why);
      const committed = [...(await commitments(path))].at(-1);
      assert.equal(keyFingerprint(publicKeyIn("receipts-next.pem"), nodeCrypto()), committed, why);
      const left = readdirSync(keys).filter((file) => !file.startsWith("receipts-after") && !file.endsWith(".tmp"));
      assert.equal(left.length, 4, `${why}: ${left}`);
    }
    assert.match(said, /done/);
    assert.ok(killed >= steps.atLeast, `only ${killed} steps were found`);
    assert.ok(changes >= 1);
  });
}

/** Which key may follow, as the ledger said it one time after the other. */
async function commitments(path: string): Promise<Set<string>> {
  const found = new Set<string>();
  for await (const { raw } of readReceipts(path)) {
    const next = (JSON.parse(raw) as { issuer: { runtime: { nextKey?: string } } }).issuer.runtime.nextKey;
    if (next !== undefined) found.add(next);
  }
  return found;
}
