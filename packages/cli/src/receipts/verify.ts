import { resolve } from "node:path";
import {
  checkBundleHead,
  judgeVerification,
  memoriesOf,
  type OnReceipt,
  type RecordVerdict,
  type Verification,
  type VerifyOptions,
  verifyRecord,
  verifySelection,
} from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import { EXIT, type GlobalOptions, homeDirOf, homeFiles } from "../base/index.ts";
import { printJson, printLines } from "../terminal/index.ts";
import { PrecheckPool } from "./precheck-pool.ts";
import { Progress } from "./progress.ts";
import { verdictLines } from "./show-verdict.ts";
import {
  BundleSource,
  localTrust,
  openSource,
  readExpectedHead,
  readTrust,
  type Source,
  unreadable,
} from "./sources/index.ts";
import type { Verdict } from "./verdict.ts";
import { ownWitness, Responses, readWitness, verifyProof } from "./witness/index.ts";

export interface VerifyCommandOptions extends GlobalOptions {
  readonly file?: string;
  readonly trust: readonly string[];
  readonly witness: readonly string[];
  readonly expectHead?: string;
  readonly responses?: string;
  readonly proof?: string;
}

/** Needs no hub, and shares nothing with what writes receipts but their form. */
export async function verify(path: string | undefined, options: VerifyCommandOptions): Promise<number> {
  if (options.proof !== undefined) {
    refuseForProof(options);
    const given = { trust: readTrust(options.trust), local: localTrust(homeDirOf(options)) };
    return await verifyProof(resolve(options.proof), given, options);
  }
  const verdict = await verdictOn(path, options);
  if (options.json) printJson(verdict);
  else printLines(verdictLines(verdict));
  return exitCodeOf(verdict);
}

/** Said, or somebody would take it for held against them. */
function refuseForProof({ responses, witness, expectHead }: VerifyCommandOptions): void {
  if (responses === undefined && expectHead === undefined && witness.length === 0) return;
  throw unreadable("--responses, --witness and --expect-head are for a record; a proof is checked by itself.");
}

/** `watch` is told what is read, and says who else wants to see the receipts. */
export async function verdictOn(
  path: string | undefined,
  options: VerifyCommandOptions,
  watch?: (source: Source) => OnReceipt,
): Promise<Verdict> {
  const given = { trust: readTrust(options.trust), local: localTrust(homeDirOf(options)) };
  const expectHead = options.expectHead === undefined ? undefined : readExpectedHead(options.expectHead);
  const responses = options.responses === undefined ? undefined : new Responses(resolve(options.responses));
  const isHomes = path === undefined && options.file === undefined;
  const witnessed =
    isHomes && options.witness.length === 0
      ? ownWitness(homeDirOf(options))
      : options.witness.flatMap((file) => readWitness(resolve(file)));
  const source = openSource(resolve(path ?? options.file ?? homeFiles(homeDirOf(options)).database));
  const progress = new Progress(process.stderr, () => source.fraction());
  try {
    const ownMemories = memoriesOf(source.notes);
    if (ownMemories === null) throw unreadable(`${source.path} holds something as a checkpoint that is none.`);
    const trust = given.trust.isEmpty ? given.local : given.trust;
    const onProgress = (count: number) => progress.show(count);
    const onReceipt = watch?.(source);
    const isTrustGiven = !given.trust.isEmpty;
    const seen = { isTrustGiven, ownMemories, witnessed, responseTo: responses?.to, onProgress, onReceipt };
    const found = await check(source, { crypto: nodeCrypto(), trust, expectHead, ...seen });
    if (found.count === 0 && found.fault === null) throw unreadable(`${source.path} holds no receipts.`);
    const selection = source instanceof BundleSource && source.bundle.selection;
    const verdict = judgeVerification(found, {
      ...given,
      hasExpectedHead: expectHead !== undefined,
      selection,
      hints: HINTS,
    });
    const { whole, notProved, ...rest } = verdict;
    // Where something is wrong, what comes after it wasn't looked at.
    const unused = found.fault === null ? (responses?.unused ?? []) : [];
    const about = { kind: source.kind, path: source.path, what: source.what };
    return { whole, source: about, ...rest, notProved: [...notProved, ...unusedIn(unused)] };
  } finally {
    progress.end();
    source.close?.();
  }
}

function unusedIn(unused: readonly string[]): string[] {
  if (unused.length === 0) return [];
  const [first] = unused;
  return [
    `Anything by ${unused.length} of the given responses: no receipt here has a hash for them (the first is to ${first}).`,
  ];
}

const HINTS = {
  key: "Give the right one with --trust.",
  tail: "give --witness, or --expect-head with what you wrote down.",
};

async function check(source: Source, options: VerifyOptions): Promise<Verification> {
  if (!(source instanceof BundleSource)) return await verifySource(source, options);
  const { bundle } = source;
  const found = bundle.selection ? await verifySelection(bundle, options) : await verifySource(source, options);
  return await checkBundleHead(bundle, found, options.crypto);
}

/** The signatures on other threads. */
async function verifySource(source: Source, options: VerifyOptions): Promise<Verification> {
  const pool = new PrecheckPool();
  const isLedger = source.kind === "countersign" || source.kind === "bundle";
  try {
    const { isMixed = false, strayRows = 0 } = source;
    return await verifyRecord({ isLedger, isMixed, strayRows, batches: () => source.batches() }, options, pool);
  } finally {
    await pool.close();
  }
}

export function exitCodeOf({ whole, trusted }: RecordVerdict): number {
  if (!whole) return EXIT.failed;
  return trusted === null ? EXIT.untrusted : EXIT.ok;
}
