import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_LIMITS, systemClock } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { frameRecord } from "../../../store/test/suite/sample-frames.ts";
import { append, keep } from "../../../store/test/suite/samples.ts";
import { openTempStore } from "../../../store/test/temp-store.ts";
import { LedgerQueries } from "./ledger-queries.ts";

const ANN = { id: "ann" };

test("export() limits the exports of one token", async (t) => {
  const { store, cleanup } = await openTempStore();
  t.after(cleanup);
  await keep(store, append());
  const ledger = new LedgerQueries({
    clock: systemClock,
    store,
    limits: { ...DEFAULT_LIMITS, exports: 3, exportsPerToken: 2 },
  });
  const jsonl = (id: string) => ledger.export({ format: "jsonl" }, { id });
  const [first] = [await jsonl("ann"), await jsonl("ann")];
  await assert.rejects(jsonl("ann"), { code: "LIMIT", message: /limit: exportsPerToken/ });
  await jsonl("bob");
  await assert.rejects(jsonl("bob"), { code: "LIMIT", message: /limit: exports\)/ });
  first.over();
  await jsonl("ann");
});

test("export() limits all exports, and each end frees one place", async (t) => {
  const { store, cleanup } = await openTempStore();
  t.after(cleanup);
  const ledger = new LedgerQueries({ clock: systemClock, store, limits: { ...DEFAULT_LIMITS, exports: 2 } });
  const isRefused = (code: string) => (error: unknown) => error instanceof HubError && error.code === code;
  await assert.rejects(ledger.export({ format: "jsonl" }, ANN), isRefused("NOT_FOUND"));
  await keep(store, append());
  const [one] = [await ledger.export({ format: "jsonl" }, ANN), await ledger.export({ format: "bundle" }, ANN)];
  await assert.rejects(ledger.export({ format: "jsonl" }, ANN), isRefused("LIMIT"));
  one.over();
  one.over();
  await ledger.export({ format: "jsonl" }, ANN);
  await assert.rejects(ledger.export({ format: "jsonl" }, ANN), isRefused("LIMIT"));
});

test("export() reads no further than it is taken, and ends at its start", async (t) => {
  const { store, cleanup } = await openTempStore();
  t.after(cleanup);
  await keep(store, ...Array.from({ length: 1_200 }, (_, at) => append({ at })));
  let read = 0;
  const counting = new Proxy(store, {
    get: (target, name) => {
      if (name === "receipts") read += 1;
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const { parts, count } = await new LedgerQueries({
    clock: systemClock,
    store: counting,
    limits: DEFAULT_LIMITS,
  }).export({ format: "jsonl" }, ANN);
  await parts.next();
  assert.equal(read, 1);
  await keep(store, append());
  let taken = 1;
  for await (const { receipts } of parts) taken += receipts;
  assert.deepEqual([taken, count], [1_201, 1_201]);
});

test("chains() lists chains of sandboxes and users", async (t) => {
  const { store, cleanup } = await openTempStore();
  t.after(cleanup);
  await store.record(frameRecord({ chain: "sandbox:box-1", emitter: "relay:1" }));
  await store.record(frameRecord({ chain: "uid:7", emitter: "uid:7" }));
  const { chains } = await new LedgerQueries({ clock: systemClock, store, limits: DEFAULT_LIMITS }).chains({
    limit: 10,
  });
  assert.deepEqual(
    chains.map(({ kind, name }) => [kind, name]),
    [
      ["emitter", "uid:7"],
      ["sandbox", "box-1"],
      ["root", null],
    ],
  );
});
