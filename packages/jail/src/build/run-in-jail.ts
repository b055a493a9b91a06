import type { Launch, ProcessResult } from "../process/index.ts";
import type { JailReport } from "../workspace/index.ts";
import type { JailRequest, Jails } from "./jails.ts";

/** What is covered may vanish between the look and the mount; so seldom that this many tries are ample. */
const TRIES = 3;

/** Builds a jail, runs in it and takes it down. One that bwrap couldn't build, so that nothing ran in it, is built anew. */
export async function runInJail<Result extends ProcessResult>(
  jails: Pick<Jails, "build">,
  request: JailRequest,
  start: (launch: Launch) => Promise<Result>,
): Promise<{ readonly result: Result; readonly report: JailReport }> {
  for (let tries = 1; ; tries += 1) {
    const jailed = await jails.build(request);
    let result: Result;
    try {
      result = await start(jailed.launch);
    } catch (cause) {
      await jailed.finish();
      throw cause;
    }
    const report = await jailed.finish();
    if (!vanished(result) || tries === TRIES) return { result, report };
  }
}

/** bwrap's own words for a place that it should cover and that isn't there any more, or ours. Nothing of the command has run. */
function vanished({ end }: ProcessResult): boolean {
  return end.kind === "jail-refused" && /\bbwrap: Can't |^The jail wasn't what/.test(end.reason);
}
