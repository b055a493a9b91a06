import { ADDRESSES } from "./rules/addresses.ts";
import { ASSIGNMENTS } from "./rules/assignments.ts";
import { KEYS } from "./rules/keys.ts";
import { PROVIDERS } from "./rules/providers.ts";
import type { Rule } from "./rules/rule.ts";

/** Every rule. Of two that begin at the same place the first wins. */
export const RULES: readonly Rule[] = [...KEYS, ...ADDRESSES, ...ASSIGNMENTS, ...PROVIDERS];

/** Where a rule could begin: what a hostile text would be made of. */
export const SECRET_ANCHORS: readonly string[] = [...new Set(RULES.flatMap((rule) => rule.anchors))];
