import { ADDRESSES, ASSIGNMENTS, KEYS, PROVIDERS, type Rule } from "./rules/index.ts";

/** Every rule. Of two that begin at the same place the first wins. */
export const RULES: readonly Rule[] = [...KEYS, ...ADDRESSES, ...ASSIGNMENTS, ...PROVIDERS];

/** Where a rule could begin: what a hostile text would be made of. */
export const SECRET_ANCHORS: readonly string[] = [...new Set(RULES.flatMap((rule) => rule.anchors))];
