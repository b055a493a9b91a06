import { createRequire } from "node:module";
import { homeDirOf } from "../base/index.ts";

interface RunOptions {
  readonly home?: string;
  readonly agent?: string;
  readonly tellDirectory?: boolean;
}

interface RunnerFile {
  runPermit(claim: {
    readonly home: string;
    readonly agent: string | undefined;
    readonly permit: string;
    readonly tellDirectory: boolean | undefined;
  }): Promise<number>;
}

const { runPermit } = createRequire(import.meta.url)("../../hook/countersign-sh.cjs") as RunnerFile;

/** What an agent's rewritten command does, which calls the file itself: it starts several times as fast. */
export async function run(permit: string, options: RunOptions): Promise<number> {
  const { agent, tellDirectory } = options;
  const exitCode = await runPermit({ home: homeDirOf(options), agent, permit, tellDirectory });
  // It still listens to its input.
  process.exit(exitCode);
}
