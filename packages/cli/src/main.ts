import { main } from "./index.ts";

// Whoever reads our output may stop early (`| head`). That ends the writing and is no failure. A command that has more to
// end than its writing listens itself.
process.stdout.on("error", (cause: NodeJS.ErrnoException) => {
  if (process.stdout.listenerCount("error") > 1) return;
  if (cause.code === "EPIPE") process.exit(process.exitCode ?? 0);
  throw cause;
});
// Not process.exit(): what was written to a pipe has to be read first.
process.exitCode = await main(process.argv.slice(2));
