import { readFileSync, statSync } from "node:fs";
import { visible } from "@countersign/protocol/text";
import {
  checkProof,
  didOfKey,
  type Fault,
  JsonError,
  type LedgerProof,
  readJson,
  readProof,
  type Trust,
} from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import { EXIT } from "../../base/index.ts";
import { printJson, printLines } from "../../terminal/index.ts";
import { MEANINGS, unreadable } from "../sources/index.ts";
import { proofLines } from "./show-proof.ts";

const MAX_PROOF_BYTES = 16 * 1024 * 1024;

/** What `receipts verify --proof --json` prints. */
interface ProofVerdict {
  readonly whole: boolean;
  readonly kind: LedgerProof["kind"];
  readonly fault: Fault | null;
  readonly keys: readonly string[];
  readonly areCommitted: boolean;
  readonly trusted: "given" | "local" | null;
  readonly signed: { readonly from: boolean; readonly to: boolean };
  readonly notProved: readonly string[];
}

/** Checks what `receipts prove` wrote; it needs neither the ledger nor a hub. */
export async function verifyProof(
  path: string,
  given: { readonly trust: Trust; readonly local: Trust },
  { json }: { readonly json?: boolean },
): Promise<number> {
  const proof = readProofFile(path);
  const { fault: found, keys, areCommitted, signed } = await checkProof(proof, nodeCrypto());
  const trusted = whoTrusts(keys, given);
  const fault = found ?? (trusted === null && keys.length > 0 && !given.trust.isEmpty ? untrusted(keys) : null);
  const verdict: ProofVerdict = {
    ...{ whole: fault === null, kind: proof.kind, fault, keys: keys.map(didOfKey), areCommitted, signed },
    trusted: fault === null ? trusted : null,
    notProved: notProved(proof, { trusted: trusted !== null, areCommitted, signed }),
  };
  if (json) printJson(verdict);
  else printLines(verdictLines(proof, verdict));
  if (fault !== null) return EXIT.failed;
  return trusted === null ? EXIT.untrusted : EXIT.ok;
}

function readProofFile(path: string): LedgerProof {
  const value = parse(path);
  const proof = readProof(value);
  if (proof === null) throw unreadable(`${path} isn't a proof of this version.`);
  return proof;
}

function parse(path: string): unknown {
  try {
    if (statSync(path).size > MAX_PROOF_BYTES) throw unreadable(`${path} is larger than ${MAX_PROOF_BYTES} bytes.`);
    return readJson(readFileSync(path, "utf8"));
  } catch (cause) {
    if (cause instanceof JsonError || (cause instanceof Error && "syscall" in cause)) {
      throw unreadable(`The proof ${path} can't be read (${cause.message}).`, cause);
    }
    throw cause;
  }
}

function whoTrusts(
  keys: readonly Uint8Array[],
  { trust, local }: { readonly trust: Trust; readonly local: Trust },
): ProofVerdict["trusted"] {
  if (!trust.isEmpty) return keys.some((key) => trust.has(key)) ? "given" : null;
  return keys.some((key) => local.has(key)) ? "local" : null;
}

function untrusted(keys: readonly Uint8Array[]): Fault {
  const detail = `signed with ${keys.slice(0, 3).map(didOfKey).join(", ")}, which isn't one that is trusted`;
  return { code: "INVALID_SIGNATURE", index: 0, detail };
}

function notProved(
  proof: LedgerProof,
  { trusted, areCommitted, signed }: { readonly trusted: boolean } & Pick<ProofVerdict, "areCommitted" | "signed">,
): string[] {
  const unsigned = proof.kind === "inclusion" ? [] : (["from", "to"] as const).filter((end) => !signed[end]);
  return [
    ...(trusted ? [] : ["Whose key signed it: anybody can make a key. Give the right one with --trust."]),
    ...(areCommitted ? [] : ["Who chose the later keys: nothing had committed to them beforehand."]),
    ...unsigned.map(
      (end) =>
        `That the record ever had this root at ${(proof as Record<typeof end, { size: number }>)[end].size} receipts: no checkpoint signs it. Compare it with what you wrote down.`,
    ),
    ...(proof.kind === "inclusion" ? ["That the other receipts are whole: that takes the record itself."] : []),
    "That what was written is true, or that nobody was shown another record: only witnesses who compare would know.",
  ];
}

const WHOSE = { given: "trusted", local: "this machine's own", nobody: "NOT TRUSTED: nobody vouches for it" } as const;

function verdictLines(proof: LedgerProof, verdict: ProofVerdict): string[] {
  const { fault, keys, trusted, notProved: open } = verdict;
  if (fault !== null) return [`BROKEN: ${fault.code}`, `${MEANINGS[fault.code]} (${visible(fault.detail)})`];
  return [
    "PROVED:",
    ...proofLines(proof),
    ...keys.slice(0, 1).map((first) => `key: ${visible(first)}${more(verdict)} (${WHOSE[trusted ?? "nobody"]})`),
    "Not proved:",
    ...open.map((line) => `- ${line}`),
  ];
}

function more({ keys: { length }, areCommitted }: ProofVerdict): string {
  if (length === 1) return "";
  const times = length === 2 ? "once" : `${length - 1} times`;
  return `, changed ${times} ${areCommitted ? "as committed to" : "without a commitment"}`;
}
