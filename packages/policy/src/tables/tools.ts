import { GIT_TOOLS } from "./git-tools.ts";
import { LIST_TOOLS } from "./list-tools.ts";
import { SEARCH_TOOLS } from "./search-tools.ts";
import { SYSTEM_TOOLS } from "./system-tools.ts";
import { TEXT_TOOLS } from "./text-tools.ts";
import type { Tool } from "./tool.ts";

export const TOOLS: readonly Tool[] = [...LIST_TOOLS, ...TEXT_TOOLS, ...SEARCH_TOOLS, ...SYSTEM_TOOLS, ...GIT_TOOLS];
