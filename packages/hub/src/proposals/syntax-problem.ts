import { spawn } from "node:child_process";
import type { Clock } from "@countersign/core/base";

/** Ample for parsing 128 KiB; bash -n runs nothing, so only its own slowness could reach it. */
const PARSE_TIMEOUT_MS = 5_000;
const MAX_MESSAGE = 500;

/**
 * bash runs the first line of a script before it finds an error in the second. So a command of several lines passes
 * `bash -n` first; a single line is read whole before anything of it runs.
 */
export function syntaxProblem(
  plan: { readonly shell: string; readonly command: string },
  clock: Clock,
): Promise<string | undefined> {
  if (!plan.command.includes("\n")) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const child = spawn(plan.shell, ["--noprofile", "--norc", "-n", "-c", plan.command], {
      env: { LC_ALL: "C.UTF-8" },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const timeout = clock.after(PARSE_TIMEOUT_MS, () => child.kill("SIGKILL"));
    let message = "";
    child.stderr.on("data", (chunk: Buffer) => {
      if (message.length < MAX_MESSAGE) message += chunk.toString("utf8");
    });
    child.once("error", (cause) => resolve(`bash could not be started: ${cause.message}`));
    child.once("close", (exitCode) => {
      timeout.cancel();
      resolve(
        exitCode === 0 ? undefined : `bash can't read it: ${message.trim().slice(0, MAX_MESSAGE) || "no reason given"}`,
      );
    });
  });
}
