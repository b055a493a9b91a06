import type { Launch, ProcessResult } from "../process/index.ts";
import type { JailReport } from "../workspace/index.ts";
import type { BuiltJail } from "./engine.ts";

/** What is covered may vanish between the look and the mount; so seldom that this many tries are ample. */
const TRIES = 3;

/** Builds a jail, runs in it and takes it down. Builds another if nothing ran because the first couldn't be built. */
export async function runInJail<Result extends ProcessResult>(
  build: () => Promise<BuiltJail>,
  start: (launch: Launch) => Promise<Result>,
): Promise<{ readonly result: Result; readonly report: JailReport }> {
  for (let tries = 1; ; tries += 1) {
    const jail = await build();
    let result: Result;
    try {
      result = await start(jail.launch);
    } catch (cause) {
      await jail.finish();
      throw cause;
    }
    const report = await jail.finish();
    if (!jail.mayBuildAgain(result) || tries === TRIES) return { result, report };
  }
}
