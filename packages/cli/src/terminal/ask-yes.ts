import { createInterface } from "node:readline/promises";
import { CliError, EXIT } from "../base/index.ts";
import { printLines } from "./print.ts";

interface Words {
  readonly question: string;
  /** Where there's nobody at a terminal. */
  readonly unasked: string;
  /** After any other answer than yes. */
  readonly refused: string;
}

/** Returns after a yes, and throws otherwise. */
export async function askYes(
  lines: readonly string[],
  words: Words,
  { json }: { readonly json?: boolean },
): Promise<void> {
  if (json || !process.stdin.isTTY || !process.stdout.isTTY) {
    if (!json) printLines(lines);
    throw new CliError("FAILED", words.unasked, { exitCode: EXIT.usage });
  }
  printLines(lines);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await terminal.question(`${words.question} Type yes: `);
    if (answer.trim().toLowerCase() !== "yes") throw new CliError("FAILED", words.refused);
  } finally {
    terminal.close();
  }
}
