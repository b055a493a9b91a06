import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jailArguments } from "../jail/jail.ts";

/** How bash itself reads a command. */
export type BashReading = { readonly kind: "read"; readonly text: string } | { readonly kind: "syntax-error" };

/**
 * `--pretty-print` parses and prints, and runs nothing, as long as it stands first and the text is a file: with `-c` the
 * text would run. The jail is for the day when that isn't true. No command holds a NUL, so it separates.
 */
const LOOP = `for ((n = 0; n < $1; n++)); do bash --pretty-print --noprofile --norc "/in/$n" 2>/dev/null; printf '\\0%s\\0' "$?"; done`;
const LANES = 2;

/** Every command as bash prints it back, in order: one process of bash for each, many in one jail. */
export async function prettyPrint(commands: readonly string[]): Promise<BashReading[]> {
  const size = Math.ceil(commands.length / LANES);
  const lanes = Array.from({ length: LANES }, (_, lane) => commands.slice(lane * size, (lane + 1) * size));
  return (await Promise.all(lanes.map(printBatch))).flat();
}

async function printBatch(commands: readonly string[]): Promise<BashReading[]> {
  const directory = mkdtempSync(join(tmpdir(), "countersign-structure-"));
  try {
    for (const [index, command] of commands.entries()) writeFileSync(join(directory, String(index)), command);
    const fields = (await runLoop(directory, commands.length)).split("\0");
    return commands.map((_, index) => {
      const [text, status] = [fields[2 * index], fields[2 * index + 1]];
      if (text === undefined || status === undefined) throw new Error("bash printed fewer commands than it was given");
      return status === "0" ? { kind: "read", text } : { kind: "syntax-error" };
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function runLoop(directory: string, count: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const child = spawn(
    "bwrap",
    [
      ...jailArguments(),
      ...["--ro-bind", directory, "/in", "--setenv", "PATH", "/usr/bin:/bin", "--setenv", "LC_ALL", "C.UTF-8"],
      ...["bash", "--noprofile", "--norc", "-c", LOOP, "loop", String(count)],
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.on("error", reject);
  child.on("close", (status) => {
    if (status === 0) resolve(Buffer.concat(chunks).toString("utf8"));
    else reject(new Error(`the jail ended with ${status}`));
  });
  return promise;
}
