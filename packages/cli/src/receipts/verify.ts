import { resolve } from "node:path";
import { didOfKey, type Fault } from "@countersign/receipts";
import { homeFiles } from "../connect/home-files.ts";
import { EXIT } from "../exit-codes.ts";
import { type GlobalOptions, homeDirOf } from "../settings.ts";
import { printJson, printLines } from "../show/print.ts";
import type { Bundle } from "./bundle.ts";
import { BundleSource } from "./bundle-source.ts";
import { readExpectedHead } from "./expected-head.ts";
import { notProved } from "./not-proved.ts";
import { openSource } from "./open-source.ts";
import { ownWitness } from "./own-witness.ts";
import { Progress } from "./progress.ts";
import { verdictLines } from "./show-verdict.ts";
import type { Source } from "./source.ts";
import { localTrust, readTrust, type Trust } from "./trust.ts";
import { unreadable } from "./unreadable.ts";
import type { Verdict } from "./verdict.ts";
import { verifyProof } from "./verify-proof.ts";
import { verifySelection } from "./verify-selection.ts";
import { type OnReceipt, type Verification, type VerifyOptions, verifySource } from "./verify-source.ts";
import { memoriesOf, readWitness } from "./witness.ts";

export interface VerifyCommandOptions extends GlobalOptions {
  readonly file?: string;
  readonly trust: readonly string[];
  readonly witness: readonly string[];
  readonly expectHead?: string;
  readonly proof?: string;
}

/** Needs no hub, and shares nothing with what writes receipts but their form. */
export async function verify(path: string | undefined, options: VerifyCommandOptions): Promise<number> {
  if (options.proof !== undefined) {
    const given = { trust: readTrust(options.trust), local: localTrust(homeDirOf(options)) };
    return await verifyProof(resolve(options.proof), given, options);
  }
  const verdict = await verdictOn(path, options);
  if (options.json) printJson(verdict);
  else printLines(verdictLines(verdict));
  return exitCodeOf(verdict);
}

/** `watch` is told what is read, and says who else wants to see the receipts. */
export async function verdictOn(
  path: string | undefined,
  options: VerifyCommandOptions,
  watch?: (source: Source) => OnReceipt,
): Promise<Verdict> {
  const given = { trust: readTrust(options.trust), local: localTrust(homeDirOf(options)) };
  const expectHead = options.expectHead === undefined ? undefined : readExpectedHead(options.expectHead);
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
    const found = await check(source, { trust, expectHead, ownMemories, witnessed, onProgress, onReceipt });
    if (found.count === 0 && found.fault === null) throw unreadable(`${source.path} holds no receipts.`);
    return judge(source, found, { ...given, hasExpectedHead: expectHead !== undefined });
  } finally {
    progress.end();
    source.close?.();
  }
}

async function check(source: Source, options: VerifyOptions): Promise<Verification> {
  if (!(source instanceof BundleSource)) return await verifySource(source, options);
  const { bundle } = source;
  if (bundle.selection) return await verifySelection(bundle, options);
  const found = await verifySource(source, options);
  return { ...found, fault: found.fault ?? treeFault(bundle, found) };
}

/** What a bundle says of itself isn't signed, and must be true all the same. */
function treeFault({ tree }: Bundle, found: Verification): Fault | null {
  if (found.count < tree.size)
    return { code: "TRUNCATED", index: found.count, detail: `it was made of ${tree.size} receipts` };
  const isSame = tree.size === found.tree?.size && Buffer.from(found.tree.root).toString("base64") === tree.root;
  return isSame ? null : { code: "ANCHOR_MISMATCH", index: tree.size, detail: "it was made of other receipts" };
}

export function exitCodeOf({ whole, trusted }: Verdict): number {
  if (!whole) return EXIT.failed;
  return trusted === null ? EXIT.untrusted : EXIT.ok;
}

interface Given {
  readonly trust: Trust;
  readonly local: Trust;
  readonly hasExpectedHead: boolean;
}

function judge(source: Source, found: Verification, { trust, local, hasExpectedHead }: Given): Verdict {
  const selection = source instanceof BundleSource && source.bundle.selection;
  const trusted = whoTrusts(found, trust, local);
  const fault = found.fault ?? (trusted === null && !trust.isEmpty ? untrustedFault(found) : null);
  const {
    count,
    chains,
    place,
    head,
    issuer,
    tree,
    witnessedSize,
    advisories,
    responsesUnchecked,
    rowMismatch,
    epochs,
    rotations,
  } = found;
  return {
    whole: fault === null,
    source: { kind: source.kind, path: source.path, what: source.what },
    count,
    chains,
    fault: fault === null ? null : { ...fault, seq: fault.index + 1, ...place },
    issuer,
    keys: found.signers.keys.map(didOfKey),
    trusted: fault === null ? trusted : null,
    head,
    tree: tree === null ? null : { size: tree.size, root: Buffer.from(tree.root).toString("base64") },
    witnessedSize,
    advisories,
    responsesUnchecked,
    rowMismatch,
    epochs,
    rotations,
    selection,
    unplaced: found.unplaced,
    notProved: notProved({
      ...{ trusted: trusted !== null, count, witnessedSize, hasExpectedHead, responsesUnchecked },
      ...{ isLedger: tree !== null, selection, unplaced: found.unplaced },
    }),
  };
}

function whoTrusts({ signers }: Verification, trust: Trust, local: Trust): Verdict["trusted"] {
  if (!trust.isEmpty) return signers.areTrusted(trust) ? "given" : null;
  return !local.isEmpty && signers.areTrusted(local) ? "local" : null;
}

/** Consistent, and by somebody else: to whoever said whom to trust, that is as broken as it gets. */
function untrustedFault({ signers }: Verification): Fault {
  const names = signers.keys.slice(0, 3).map(didOfKey).join(", ");
  return {
    code: "INVALID_SIGNATURE",
    index: 0,
    detail: `signed with ${names || "a key"}, which isn't one that is trusted`,
  };
}
