import { visibleJson } from "@countersign/protocol/text";
import { CommanderError } from "commander";
import { CliError, EXIT, type GlobalOptions } from "./base/index.ts";
import { buildProgram } from "./programs/index.ts";

// Whoever reads our output may stop early (`| head`). That ends the writing and is no failure. A command that has more to
// end than its writing listens itself.
process.stdout.on("error", (cause: NodeJS.ErrnoException) => {
  if (process.stdout.listenerCount("error") > 1) return;
  if (cause.code === "EPIPE") process.exit(process.exitCode ?? 0);
  throw cause;
});
// Not process.exit(): what was written to a pipe has to be read first.
process.exitCode = await main(process.argv.slice(2));

/** Runs one command line and resolves with the exit code. Everything that goes wrong becomes one sentence and a code. */
async function main(argv: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.ok;
  let json = false;
  const program = buildProgram((code) => {
    exitCode = code;
  });
  // Asked of the parsed options: a `--json` further on may belong to the command that `exec` proposes.
  program.hook("preAction", (_, command) => {
    json = command.optsWithGlobals<GlobalOptions>().json ?? false;
  });
  try {
    const { operands, unknown } = program.parseOptions([...argv]);
    if (operands.length === 0 && unknown.length === 0) {
      json = program.opts<GlobalOptions>().json ?? false;
      return await (await import("./commands/state.ts")).state(program.opts<GlobalOptions>());
    }
    await program.parseAsync([...argv], { from: "user" });
    return exitCode;
  } catch (cause) {
    // Commander has told it already, and the help where that was asked for.
    if (cause instanceof CommanderError) return cause.exitCode === 0 ? EXIT.ok : EXIT.usage;
    return await tell(cause, json);
  }
}

async function tell(cause: unknown, json: boolean): Promise<number> {
  const error = cause instanceof CliError ? cause : bug(cause);
  if (json) process.stdout.write(`${visibleJson({ error: { code: error.code, message: error.message } })}\n`);
  // Loaded where something went wrong: `--help` needs none of the schemas beside it.
  const { visibleLines } = await import("@countersign/protocol");
  process.stderr.write(`countersign: ${visibleLines(error.message).join("\n")}\n`);
  return error.exitCode;
}

function bug(cause: unknown): CliError {
  const detail = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  const message = `This is a bug in Countersign; please report it with these lines. ${detail}`;
  return new CliError("INTERNAL", message, { exitCode: EXIT.internal, cause });
}
