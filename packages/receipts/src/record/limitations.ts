import type { RecordedRotation } from "./rotation.ts";

interface Proved {
  readonly trusted: boolean;
  readonly count: number;
  readonly witnessedSize: number;
  /** Somebody wrote down a receipt that is still there. */
  readonly hasExpectedHead: boolean;
  readonly responsesUnchecked: number;
  readonly rotations: readonly RecordedRotation[];
  readonly isLedger: boolean;
  readonly selection: boolean;
  readonly unplaced: number;
  /** How many receipts the ledger is said to have, and how many of them a checkpoint covers. */
  readonly treeSize: number;
  readonly coveredSize: number;
}

/** What to do about it, where somebody can: that depends on where they are told. */
export interface OpenHints {
  readonly key: string;
  readonly tail: string;
}

/** What remains open even where everything holds. */
export function notProved(proved: Proved, hints: OpenHints): string[] {
  return [
    ...(proved.trusted ? [] : [`Whose key signed it: anybody can make a key. ${hints.key}`]),
    ...uncommittedIn(proved.rotations),
    ...(proved.selection ? selectionOf(proved) : tailOf(proved, hints)),
    ...(proved.isLedger ? [] : ["That no whole chain was left out: these chains don't know of each other."]),
    "That what was written is true, that nothing else happened, or that the clocks were right.",
    ...(proved.responsesUnchecked > 0
      ? [`What was answered: ${proved.responsesUnchecked} responses are hashes, and the responses aren't here.`]
      : []),
    "That whoever held the key wrote no second record: only a witness would know.",
  ];
}

function uncommittedIn(rotations: readonly RecordedRotation[]): string[] {
  const [first, ...rest] = rotations.filter(({ isCommitted }) => !isCommitted);
  if (first === undefined) return [];
  const more = rest.length === 0 ? "" : ` (and at ${rest.length} later changes)`;
  return [
    `Who chose the key at receipt ${first.index + 1}${more}: nothing had committed to it, so anyone with the old key could.`,
  ];
}

function tailOf({ count, witnessedSize, hasExpectedHead }: Proved, hints: OpenHints): string[] {
  if (witnessedSize >= count) return [];
  if (witnessedSize > 0)
    return [`That nothing was cut off after receipt ${witnessedSize}, the last that a witness saw.`];
  if (hasExpectedHead) return ["That nothing was cut off after the receipt that was expected."];
  return [`That nothing was cut off at the end: ${hints.tail}`];
}

function selectionOf({ unplaced, treeSize, coveredSize }: Proved): string[] {
  return [
    "That no other receipts belong to these: it is a selection.",
    ...(treeSize > coveredSize
      ? [
          `That the record had ${treeSize} receipts, and the root of their tree: a checkpoint covers ${coveredSize === 0 ? "none" : coveredSize}.`,
        ]
      : []),
    ...(unplaced > 0 ? [`Where ${unplaced} of them stand in the record: no checkpoint covers them yet.`] : []),
  ];
}
