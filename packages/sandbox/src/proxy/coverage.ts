import type { ExecdCoverage } from "../delivery/index.ts";

/** What the proxy can't see or tell, on every receipt of it. */
const LIMITS = [
  "The proxy runs inside the sandbox with a client key that its root can read: what it says is the sandbox's word.",
  "Whatever in the sandbox reaches execd's own port goes round the proxy: execd listens on all interfaces, and what it starts has its token.",
  "What a command, code or a terminal does by itself is not seen, only that it was started and how it ended.",
  "Event text is not the output of a process: execd splits lines and replaces bytes before the proxy sees it.",
  "A call of several paths that failed may have been done in part.",
  "An upload is told from a change by a look just before it: something else may make or remove the file between the two.",
];

export function coverageA(opensandboxVersion: string | undefined): ExecdCoverage {
  return {
    covers: ["command", "code", "files", "directories", "pty"],
    excludes: [],
    placement: "execd",
    ...(opensandboxVersion ? { opensandbox_version: opensandboxVersion } : {}),
    limits: LIMITS,
  };
}
