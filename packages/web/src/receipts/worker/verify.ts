import { EXPORTED_RECEIPTS_HEADER } from "@countersign/protocol/records";
import {
  type Bundle,
  checkBundleHead,
  examineReceipt,
  JsonError,
  judgeVerification,
  keyOfDid,
  lineBatches,
  looksLikeBundle,
  MAX_BUNDLE_BYTES,
  type Memory,
  memoriesAbout,
  memoriesOf,
  type Precheck,
  precheckReceipts,
  RECORD_BATCH,
  type RecordItem,
  readBundle,
  readJson,
  readKey,
  Trust,
  type Verification,
  type VerifyOptions,
  verifyRecord,
  verifySelection,
  webCrypto,
} from "@countersign/receipts";
import { fetchApi } from "../../hub/index.ts";
import { type Remembered, recall, rememberFirst } from "./checkpoint-db.ts";
import type { HubAccess, NearReceipt, Progress, Verified, Vouched } from "./messages.ts";

const crypto = webCrypto();

/** Batches in flight: SubtleCrypto verifies their signatures on threads of its own. */
const precheckPool = {
  width: 8,
  ask: (raws: readonly Uint8Array[], publicKey: Uint8Array, bytes: "canonical" | "any"): Promise<Precheck[]> =>
    precheckReceipts(raws, crypto, { publicKey, bytes }),
};

const HINTS = {
  key: "Compare it with the one that you were given.",
  tail: "this browser remembers no checkpoint of it.",
};

type Report = (progress: Progress) => void;

/** Verifies the hub's whole record from its signed bytes, without trusting the hub. */
export async function verifyHub({ token, deviceId }: HubAccess, report: Report): Promise<Verified> {
  const known = await recall(deviceId);
  const response = await fetchApi(token, "GET /api/v1/receipts/export", { query: { format: "jsonl" } });
  const of = Number(response.headers.get(EXPORTED_RECEIPTS_HEADER)) || null;
  const onProgress = (count: number) => report({ count, of, fraction: of === null ? null : count / of });
  const batches = lineBatches(chunksOf(response.body));
  const verified = await verify("hub", { batches, isLedger: true }, { known, trust: null, onProgress });
  const [key] = verified.verdict.keys;
  if (known !== null || !verified.verdict.whole || key === undefined) return verified;
  if (await rememberFirst(deviceId, { key, sinceMs: Date.now(), memory: null }))
    return { ...verified, vouched: { kind: "first" } };
  // Seen during the verification, with a checkpoint.
  const now = await recall(deviceId);
  const isSame = now !== null && verified.verdict.keys.includes(now.key);
  return { ...verified, vouched: isSame ? { kind: "remembered", sinceMs: now.sinceMs } : { kind: "other" } };
}

/** Verifies a file locally: nothing of it leaves the browser. */
export async function verifyFile(
  file: File,
  { deviceId }: HubAccess,
  { trust, report }: { readonly trust: string | null; readonly report: Report },
): Promise<Verified> {
  const known = await recall(deviceId);
  if (looksLikeBundle(await file.slice(0, PEEKED_BYTES).text())) {
    const bundle = await readBundleIn(file);
    const of = bundle.receipts.length;
    const onProgress = (count: number) => report({ count, of, fraction: count / Math.max(of, 1) });
    const source = { batches: bundleBatches(bundle), isLedger: true, bundle };
    return await verify("bundle", source, { known, trust, onProgress });
  }
  let read = 0;
  const onProgress = (count: number) => report({ count, of: null, fraction: read / Math.max(file.size, 1) });
  const chunks = chunksOf(file.stream(), (bytes) => {
    read += bytes;
  });
  return await verify("lines", { batches: lineBatches(chunks), isLedger: false }, { known, trust, onProgress });
}

const PEEKED_BYTES = 256;

async function readBundleIn(file: File): Promise<Bundle> {
  if (file.size > MAX_BUNDLE_BYTES)
    throw new Unreadable("This bundle is too large to be read at once. Export it as lines.");
  try {
    const bundle = readBundle(readJson(await file.text()));
    if (bundle !== null) return bundle;
  } catch (cause) {
    if (!(cause instanceof JsonError)) throw cause;
  }
  throw new Unreadable("This isn’t a whole bundle, or one of another version.");
}

function* bundleBatches({ receipts }: Bundle): Generator<readonly RecordItem[]> {
  const utf8 = new TextEncoder();
  for (let at = 0; at < receipts.length; at += RECORD_BATCH) {
    yield receipts.slice(at, at + RECORD_BATCH).map(({ seq, raw }) => ({ seq, raw: utf8.encode(raw) }));
  }
}

async function* chunksOf(
  stream: ReadableStream<Uint8Array> | null,
  onRead?: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const reader = stream?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true as const, value: undefined };
    if (done || value === undefined) return;
    onRead?.(value.length);
    yield value;
  }
}

interface Held {
  readonly batches: AsyncIterable<readonly RecordItem[]> | Iterable<readonly RecordItem[]>;
  readonly isLedger: boolean;
  readonly bundle?: Bundle;
}

interface Against {
  readonly known: Remembered | null;
  readonly trust: string | null;
  readonly onProgress: (count: number) => void;
}

async function verify(what: Verified["what"], held: Held, { known, trust, onProgress }: Against): Promise<Verified> {
  const begun = performance.now();
  const near = new SurroundingReceipts();
  const { first, batches } = await peek(near.watch(held.batches));
  if (first === undefined) throw new Unreadable("There are no receipts in it.");
  const given = trustIn(trust);
  const local = known === null ? new Trust([], crypto) : trustIn(known.key);
  const ownMemories = memoriesOf(held.bundle?.checkpoints ?? []);
  if (ownMemories === null) throw new Unreadable("It contains an invalid checkpoint.");
  const options = {
    ...{ crypto, trust: given.isEmpty ? local : given, isTrustGiven: !given.isEmpty, ownMemories, onProgress },
    witnessed: witnessedBy(known, what === "hub" ? undefined : first),
  };
  const found = await check({ ...held, batches }, options);
  const selection = held.bundle?.selection ?? false;
  const verdict = judgeVerification(found, { trust: given, local, hasExpectedHead: false, selection, hints: HINTS });
  return {
    ...{ what, verdict },
    near: verdict.fault === null ? [] : near.around(verdict.fault.index),
    vouched: vouchedBy(verdict.trusted, { known, isHub: what === "hub" }),
    tookMs: performance.now() - begun,
  };
}

async function check({ batches, isLedger, bundle }: Held, options: VerifyOptions): Promise<Verification> {
  const found = bundle?.selection
    ? await verifySelection(bundle, options)
    : await verifyRecord({ isLedger, batches: () => batches }, options, precheckPool);
  return bundle === undefined ? found : await checkBundleHead(bundle, found, crypto);
}

/** What the browser remembers must match the hub's record. For a file it counts only if the file is of the same record. */
function witnessedBy(known: Remembered | null, first: RecordItem | undefined): readonly Memory[] {
  const memories = memoriesOf(known?.memory ? [known.memory.note] : []) ?? [];
  if (first === undefined) return memories;
  const examined = examineReceipt(first.raw, crypto);
  return examined.kind === "receipt" ? memoriesAbout(examined.facts.chainId, memories) : [];
}

function trustIn(text: string | null): Trust {
  if (text === null || text.trim() === "") return new Trust([], crypto);
  const key = keyOfDid(text.trim()) ?? readKey(text.trim());
  if (key === undefined)
    throw new Unreadable("That is no key: give a did:key, a fingerprint (sha256:…) or a public key as PEM.");
  return typeof key === "string" ? new Trust([], crypto, [key]) : new Trust([key], crypto);
}

function vouchedBy(
  trusted: "given" | "local" | null,
  { known, isHub }: { readonly known: Remembered | null; readonly isHub: boolean },
): Vouched {
  if (trusted === "given") return { kind: "given" };
  if (trusted === "local" && known !== null) return { kind: "remembered", sinceMs: known.sinceMs };
  return isHub && known !== null ? { kind: "other" } : { kind: "nobody" };
}

/** Returns the first receipt, and a reader of everything from it on. */
async function peek(batches: AsyncGenerator<readonly RecordItem[]>): Promise<{
  readonly first: RecordItem | undefined;
  readonly batches: AsyncGenerator<readonly RecordItem[]>;
}> {
  const { value } = await batches.next();
  const all = async function* () {
    if (value) yield value;
    yield* batches;
  };
  return { first: value?.[0], batches: all() };
}

/** More receipts than are ever read ahead of the verdict. */
const KEPT = 8_192;
/** Characters of a receipt: more than any real one has. */
const SHOWN_BYTES = 64 * 1024;

/** Keeps the last receipts read, to show those around a fault. */
class SurroundingReceipts {
  readonly #kept: (RecordItem | undefined)[] = [];
  #read = 0;

  async *watch(
    batches: AsyncIterable<readonly RecordItem[]> | Iterable<readonly RecordItem[]>,
  ): AsyncGenerator<readonly RecordItem[]> {
    for await (const batch of batches) {
      for (const item of batch) {
        this.#kept[this.#read % KEPT] = item;
        this.#read += 1;
      }
      yield batch;
    }
  }

  /** The receipt before it, itself and the one after, if there are any. */
  around(index: number): NearReceipt[] {
    return [index - 1, index, index + 1].flatMap((at) => {
      const item = at < 0 || at >= this.#read || at < this.#read - KEPT ? undefined : this.#kept[at % KEPT];
      return item === undefined ? [] : [{ index: at, text: utf8.decode(item.raw.subarray(0, SHOWN_BYTES)) }];
    });
  }
}

const utf8 = new TextDecoder();

/** Thrown if the file can't be read: there is no verdict then. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
}
