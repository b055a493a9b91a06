import { main } from "./index.ts";

// Whoever reads our output may stop early (`| head`). That ends the writing and is no failure.
process.stdout.on("error", (cause: NodeJS.ErrnoException) => {
  if (cause.code === "EPIPE") process.exit(process.exitCode ?? 0);
  throw cause;
});
// Not process.exit(): what was written to a pipe has to be read first.
process.exitCode = await main(process.argv.slice(2));
