import { visible } from "@countersign/protocol/text";
import { type Advisory, isToldAfterAll } from "@countersign/receipts";
import { MEANINGS } from "./sources/index.ts";
import type { Verdict } from "./verdict.ts";

const MAX_ADVISORIES = 10;

export function verdictLines(verdict: Verdict): string[] {
  const { source, fault, notProved } = verdict;
  return [
    `${visible(source.path)}: ${visible(source.what)}`,
    ...(fault === null ? wholeLines(verdict) : faultLines(fault)),
    ...adviceLines(verdict),
    ...(fault === null ? ["Not proved:", ...notProved.map((line) => `- ${line}`)] : []),
  ];
}

function wholeLines(verdict: Verdict): string[] {
  const { count, chains, trusted, keys, head, tree, witnessedSize, selection, rotations } = verdict;
  const signer = keys.length === 1 ? (keys[0] as string) : `${keys.length} keys`;
  return [
    selection
      ? `GENUINE: ${many(count, "receipt")} of ${tree?.size}; every signature and proof of inclusion holds`
      : `WHOLE: ${many(count, "receipt")} in ${many(chains, "chain")}; every signature and link holds`,
    `key: ${visible(signer)} (${WHOSE[trusted ?? "nobody"]})`,
    ...rotations.map(
      ({ index, to, isCommitted }) =>
        `key changed: at receipt ${index + 1}, to ${visible(to)}, ${isCommitted ? "as committed to" : "which nothing had committed to"}`,
    ),
    ...(head === null ? [] : [`head: ${head.seq}:${head.hash}`]),
    ...(tree === null ? [] : [`tree: ${tree.size} ${tree.root}`]),
    ...(witnessedSize === 0 ? [] : [`witness: confirms the first ${witnessedSize}`]),
  ];
}

const WHOSE = { given: "trusted", local: "this machine's own", nobody: "NOT TRUSTED: nobody vouches for it" } as const;

function headline({ code, reason, seq, index }: NonNullable<Verdict["fault"]>): string {
  if (code === "BUNDLE_MISMATCH") return `BROKEN: ${code} (${reason})`;
  const word = code === "NEWER_VERSION" ? "NEWER THAN THIS VERIFIER" : "BROKEN";
  return `${word} at receipt ${seq} (index ${index}): ${code}`;
}

function faultLines(fault: NonNullable<Verdict["fault"]>): string[] {
  const { code, detail, chainId, sequence } = fault;
  return [
    headline(fault),
    ...(chainId === undefined ? [] : [`chain ${visible(chainId)}, sequence ${sequence}`]),
    `${MEANINGS[code]} (${visible(detail)})`,
    ...(isToldAfterAll(fault) ? [] : ["What comes after it wasn't looked at."]),
  ];
}

const ADVICE: Readonly<Record<Advisory["code"], string>> = {
  duplicate_idempotency_key: "said twice under one key; a retry, or a repetition",
  incomplete_session: "opened and not closed",
  incomplete_tool_roundtrip: "without an end: still open, or the end is missing",
};

function adviceLines({ advisories, rowMismatch, epochs }: Verdict): string[] {
  const shown = advisories.slice(0, MAX_ADVISORIES).map(({ code, index, subject }) => {
    return `- receipt ${index + 1}: ${code} ${visible(subject)} (${ADVICE[code]})`;
  });
  const more = advisories.length - shown.length;
  const lines = [
    ...epochs.map(
      (index) =>
        `- receipt ${index + 1}: a new epoch; the record was found shorter, or another, than a witness remembered`,
    ),
    ...shown,
    ...(more > 0 ? [`- and ${more} more`] : []),
    ...(rowMismatch.count > 0
      ? [
          `- ${many(rowMismatch.count, "receipt")} from ${(rowMismatch.firstIndex ?? 0) + 1} on: what the store keeps next to them doesn't fit them`,
        ]
      : []),
  ];
  return lines.length === 0 ? [] : ["Worth a look:", ...lines];
}

function many(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
