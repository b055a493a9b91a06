import { statSync } from "node:fs";
import { HubError } from "@countersign/core/errors";
import { quoteWord } from "@countersign/protocol/text";
import { listCommand, readCommand } from "../../../agent/files/index.ts";
import type { Look } from "../calls/index.ts";
import { agentPath, operandOf } from "./agent-path.ts";

/** Returns a command that reads what an agent's tool is about to read. It is judged, and never run. */
export function lookCommand(look: Look, cwd: string): string {
  const path = (given: string) => operandOf(agentPath(given, cwd), cwd);
  switch (look.kind) {
    case "file":
      return readCommand(path(look.path), look);
    case "directory":
      return listCommand(path(look.path));
    case "search": {
      const real = agentPath(look.path, cwd);
      const options = statSync(real, { throwIfNoEntry: false })?.isFile() ? "-nE" : "-rnE";
      return `grep ${options} -e ${quoteWord(look.pattern)} -- ${quoteWord(operandOf(real, cwd))}`;
    }
    case "names": {
      const from = path(startOf(look));
      return `find ${quoteWord(from)} -path ${quoteWord(look.pattern)}`;
    }
  }
}

/** Returns where the search starts, because a pattern can lead out of its directory. */
function startOf({ pattern, path }: Extract<Look, { kind: "names" }>): string {
  // Also finds `..` in braces, such as `{.,..}/*`.
  if (/(?:^|[/{,|(])\.\.(?:[/},|)]|$)/.test(pattern))
    throw new HubError("INVALID_PARAMS", "The pattern leads up with ..");
  if (!/^[/~]/.test(pattern)) return path;
  const plain = /^[^*?[\]{}()!+@\\]*/.exec(pattern)?.[0] ?? "/";
  return plain === pattern ? pattern : plain.slice(0, plain.lastIndexOf("/")) || "/";
}
