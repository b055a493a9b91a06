import { existsSync } from "node:fs";
import { StartError } from "../errors/index.ts";

const SHELLS = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"];

export function findShell(): string {
  const shell = SHELLS.find((path) => existsSync(path));
  if (shell) return shell;
  throw new StartError("SHELL_MISSING", `bash isn't at ${SHELLS.join(", ")}. Install it with your package manager.`);
}
