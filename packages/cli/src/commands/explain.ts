import { quoteWords } from "@countersign/protocol/text";
import { CliError, EXIT, type GlobalOptions } from "../base/index.ts";
import type { explainHere } from "../explain/index.ts";
import { printJson, printLines } from "../terminal/index.ts";

export interface ExplainOptions extends GlobalOptions {
  readonly cwd?: string;
  readonly profile?: string;
  readonly batch?: boolean;
}

const DEFAULT_COLUMNS = 100;

/** What would become of a command, and why. Needs no hub and leaves nothing behind. */
export async function explain(words: readonly string[], options: ExplainOptions): Promise<number> {
  if (options.batch) return await batch(words, options);
  const [only] = words;
  if (only === undefined) throw usage("Give the command to explain, or --batch with commands on stdin.");
  const command = words.length === 1 ? only : quoteWords(words);
  const here = await import("../explain/explain-here.ts");
  const explanation = await here.explainHere(command, options);
  if (options.json) printJson(explanation);
  else printLines(await linesOf(explanation));
  return EXIT.ok;
}

async function batch(words: readonly string[], { cwd, profile }: ExplainOptions): Promise<number> {
  if (words.length > 0 || cwd !== undefined || profile !== undefined) {
    const rule = "--batch takes commands from stdin and looks at no machine and no profile";
    throw usage(`${rule}: give it no command, --cwd or --profile.`);
  }
  // Alone, without the server: whoever judges thousands of commands doesn't wait for it to load.
  const { explainBatch } = await import("../explain/batch.ts");
  return await explainBatch(process.stdin, process.stdout);
}

async function linesOf(explanation: Awaited<ReturnType<typeof explainHere>>): Promise<string[]> {
  const [{ explanationSchema }, { explanationLines }, { paintLine, plain }] = await Promise.all([
    import("@countersign/protocol"),
    import("../show/explanation.ts"),
    import("../terminal/screen.ts"),
  ]);
  const { columns = DEFAULT_COLUMNS, isTTY } = process.stdout;
  const colour = isTTY && !process.env.NO_COLOR;
  const lines = explanationLines(explanationSchema.parse(explanation), columns);
  return lines.map((line) => (colour ? paintLine(line, { colour }) : plain(line)));
}

function usage(message: string): CliError {
  return new CliError("INVALID_PARAMS", message, { exitCode: EXIT.usage });
}
