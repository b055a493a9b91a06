import { spawnChild } from "../process/index.ts";

/**
 * Limits a jail's first process from outside, while it is held back, and so all that it will start: where somebody chooses the variables of what
 * starts inside, `LD_PRELOAD` would get into a program that sets limits there. `words` are those of `prlimit`, for a command that would follow. Asked
 * again and again: undefined until it is known.
 */
export function limitFirst(words: readonly string[]): (pid: number) => boolean | undefined {
  if (words.length === 0) return () => true;
  const [file = "", ...args] = words.slice(0, -1);
  let isAsked = false;
  let isLimited: boolean | undefined;
  return (pid) => {
    if (!isAsked) {
      isAsked = true;
      succeeds(file, [...args, `--pid=${pid}`]).then((succeeded) => {
        isLimited = succeeded;
      });
    }
    return isLimited;
  };
}

async function succeeds(file: string, args: readonly string[]): Promise<boolean> {
  try {
    const child = await spawnChild({ file, args, env: {}, cwd: "/", descriptors: [], pipes: 0 });
    for (const stream of [child.stdout, child.stderr]) stream.resume();
    const end = await child.ended;
    return "exitCode" in end && end.exitCode === 0;
  } catch {
    // It couldn't be started: nothing is limited.
    return false;
  }
}
