import type { Digest } from "../format/index.ts";
import { isCount, levelOf } from "./counts.ts";
import { joinNodes } from "./node-hash.ts";

/** The hash of a complete subtree, as `TreeFrontier.append` handed it out. */
export type NodeReader = (level: number, index: number) => Uint8Array | Promise<Uint8Array>;

/** The leaves from start up to, not including, end. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** RFC 6962 2.1.1: the hashes from the leaf's sibling up to the root's child. */
export async function proveInclusion(
  place: { readonly index: number; readonly size: number },
  nodes: NodeReader,
  crypto: Digest,
): Promise<Uint8Array[]> {
  const { index, size } = place;
  if (!isCount(size) || !isCount(index) || index >= size) throw new RangeError(`no leaf ${index} of ${size}`);
  const siblings: Range[] = [];
  for (let range: Range = { start: 0, end: size }; range.end - range.start > 1; ) {
    const [left, right] = split(range);
    siblings.push(index < right.start ? right : left);
    range = index < right.start ? left : right;
  }
  return hashAll(siblings.reverse(), nodes, crypto);
}

/** RFC 6962 2.1.2: enough to make both roots from. */
export async function proveConsistency(
  sizes: { readonly from: number; readonly to: number },
  nodes: NodeReader,
  crypto: Digest,
): Promise<Uint8Array[]> {
  const { from, to } = sizes;
  if (!isCount(from) || !isCount(to) || from > to) throw new RangeError(`no way from ${from} leaves to ${to}`);
  if (from === 0 || from === to) return [];
  const parts: Range[] = [];
  let range: Range = { start: 0, end: to };
  // The old root itself is known to whoever asks; only where it isn't a node of the new tree is its last part needed.
  while (range.end !== from) {
    const [left, right] = split(range);
    parts.push(from <= right.start ? right : left);
    range = from <= right.start ? left : right;
  }
  if (range.start !== 0) parts.push(range);
  return hashAll(parts.reverse(), nodes, crypto);
}

/** At the largest power of two below the length, as the RFC divides. */
function split({ start, end }: Range): [Range, Range] {
  let middle = 1;
  while (middle * 2 < end - start) middle *= 2;
  return [
    { start, end: start + middle },
    { start: start + middle, end },
  ];
}

async function hashAll(ranges: readonly Range[], nodes: NodeReader, crypto: Digest): Promise<Uint8Array[]> {
  const hashes: Uint8Array[] = [];
  for (const range of ranges) hashes.push(await hashRange(range, nodes, crypto));
  return hashes;
}

async function hashRange(range: Range, nodes: NodeReader, crypto: Digest): Promise<Uint8Array> {
  const level = levelOf(range.end - range.start);
  // Every range starts at a multiple of the power of two that its parent was divided by, so this one is a stored node.
  if (level !== null) return nodes(level, range.start / 2 ** level);
  const [left, right] = split(range);
  return joinNodes(await hashRange(left, nodes, crypto), await hashRange(right, nodes, crypto), crypto);
}
