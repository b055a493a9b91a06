import type { Command } from "commander";

/** Tells the command's exit code. */
export type Finish = (exitCode: number) => void;

export function subcommand(program: Command, name: string, description: string, example: string): Command {
  return withGlobalOptions(program.command(name))
    .description(description)
    .addHelpText("after", `\nExample:\n  ${example}`);
}

/** On each command, because with positional options those of the program stand before the command's name only. */
export function withGlobalOptions(command: Command): Command {
  return command
    .option("--json", "print JSON for machines")
    .option("--home <directory>", "data directory (default: $COUNTERSIGN_HOME or ~/.countersign)")
    .option("--url <url>", "the hub's address (default: the hub running for the data directory)");
}

/** Of an option that may be given several times. */
export function gather(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
