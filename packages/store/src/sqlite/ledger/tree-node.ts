import { StoreError } from "../../ledger/index.ts";
import type { Statements } from "../base/index.ts";

/** No tree has as many levels. */
const LEVELS = 64;

/** What a node is kept under: the leaf that completed it, then its level. */
export function nodeId(level: number, index: number): number {
  return ((index + 1) * 2 ** level - 1) * LEVELS + level;
}

export function treeNodeIn(sql: Statements, level: number, index: number): Uint8Array {
  const hash = sql.one("SELECT hash FROM tree_node WHERE id = ?", nodeId(level, index))?.hash;
  if (hash instanceof Uint8Array) return hash;
  throw new StoreError("CORRUPT", `The tree lacks a node (level ${level}, ${index})`);
}
