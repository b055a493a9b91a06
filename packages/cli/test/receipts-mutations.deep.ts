// A bundle, changed in each way at each place: what isn't found has no meaning, or is told under what isn't proved.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { rotateOffline } from "@countersign/hub";
import { CliError } from "../src/base/cli-error.ts";
import { exportReceipts } from "../src/receipts/export.ts";
import { verdictOn } from "../src/receipts/verify.ts";
import { Place } from "./countersign.ts";
import { Ledger } from "./ledger.ts";

type Mutation = readonly [name: string, value: unknown];

/** Each member deleted, emptied, exchanged for that of `other`, doubled, put elsewhere, and one more put in. */
function* mutations(value: unknown, other: unknown, path = ""): Generator<Mutation> {
  for (const empty of [null, "", 0, [], {}]) yield [`${path} emptied`, empty];
  if (other !== undefined) yield [`${path} exchanged`, other];
  if (typeof value === "number") for (const by of [-1, 1, 0.5]) yield [`${path} moved`, value + by];
  if (typeof value === "string") {
    const middle = value.length >> 1;
    yield [`${path} changed`, value.slice(0, middle) + (value[middle] === "A" ? "B" : "A") + value.slice(middle + 1)];
    yield [`${path} cut`, value.slice(0, -1)];
    yield [`${path} spaced`, `${value} `];
  }
  if (Array.isArray(value)) yield* ofList(value, other, path);
  else if (typeof value === "object" && value !== null) yield* ofObject(value as Members, other as Members, path);
}

function* ofList(list: readonly unknown[], other: unknown, path: string): Generator<Mutation> {
  yield [`${path} reversed`, list.toReversed()];
  for (const [at, each] of list.entries()) {
    yield [`${path}[] deleted`, list.toSpliced(at, 1)];
    yield [`${path}[] doubled`, list.toSpliced(at, 0, each)];
    const others = Array.isArray(other) ? other[at] : undefined;
    for (const [name, changed] of mutations(each, others, `${path}[]`)) yield [name, list.with(at, changed)];
  }
}

type Members = { readonly [name: string]: unknown };

function* ofObject(value: Members, other: Members | undefined, path: string): Generator<Mutation> {
  yield [`${path} with another member`, { ...value, other: 1 }];
  for (const [name, member] of Object.entries(value)) {
    const { [name]: _, ...rest } = value;
    yield [`${path}.${name} deleted`, rest];
    for (const [what, changed] of mutations(member, other?.[name], `${path}.${name}`))
      yield [what, { ...value, [name]: changed }];
  }
}

/** The same key, checkpoint or proof, said twice or elsewhere. */
const SAME = [".keys[] doubled", ".keys[] cut", ".keys[] spaced", ".checkpoints[] doubled"];
/** Of a selection: proofs are found by their number, and past its checkpoint nothing proves how the ledger went on. */
const UNPROVED = [
  ...[".inclusion reversed", ".receipts[] deleted", ".receipts[].seq moved"],
  ...[".tree exchanged", ".tree.size moved", ".tree.root changed", ".tree.root exchanged"],
];

test("whatever is changed in a bundle is found, or means nothing, or isn't proved and told so", async (t) => {
  const place = new Place(t);
  const make = async (home: string) => {
    const ledger = await Ledger.make(home);
    await ledger.checkpoint();
    await ledger.emit("sandbox:box");
    await rotateOffline(home);
    await ledger.append(["b", "a", null]);
    await ledger.checkpoint();
    await ledger.append(["b", "a"]);
    return ledger;
  };
  const other = join(place.workspace, "other");
  const ledger = await make(place.home);
  await make(other);
  const path = join(place.workspace, "changed.json");
  const isFound = async (bundle: unknown) => {
    writeFileSync(path, JSON.stringify(bundle));
    try {
      return !(await verdictOn(path, { home: place.home, trust: [ledger.publicPem], witness: [] })).whole;
    } catch (cause) {
      assert.ok(cause instanceof CliError, String(cause));
      return true;
    }
  };
  for (const [name, choice, unfound] of [
    ["whole", {}, SAME],
    ["some", { session: "b" }, [...SAME, ...UNPROVED]],
  ] as const) {
    const exported = async (home: string) => {
      const bundle = join(home, `${name}.json`);
      assert.equal(await exportReceipts({ home, bundle, ...choice }), 0);
      return JSON.parse(readFileSync(bundle, "utf8"));
    };
    const bundle = await exported(place.home);
    assert.equal(await isFound(bundle), false);
    const missed = new Set<string>();
    for (const [what, changed] of mutations(bundle, await exported(other))) {
      const isSame = JSON.stringify(changed) === JSON.stringify(bundle);
      if (!isSame && !(await isFound(changed))) missed.add(what);
    }
    assert.deepEqual([...missed].sort(), [...unfound].sort(), name);
  }
});
