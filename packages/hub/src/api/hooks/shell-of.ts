import { userInfo } from "node:os";
import { basename } from "node:path";
import type { Identity } from "@countersign/core/base";
import type { HookAgent } from "./calls/index.ts";

/**
 * The shell in which an agent runs what it is allowed: most take that of the login. Claude Code takes bash or zsh, whichever it finds where
 * the login has another. Which one an agent on another machine has isn't known: zsh reads more than bash does.
 */
export function shellOf(agent: HookAgent, { sameUser }: Pick<Identity, "sameUser">): string {
  if (agent === "gemini") return "bash";
  const login = sameUser ? (userInfo().shell ?? "") : "zsh";
  const isKnown = ["bash", "zsh"].includes(basename(login));
  return isKnown || (agent !== "claude-code" && login !== "") ? login : "zsh";
}
