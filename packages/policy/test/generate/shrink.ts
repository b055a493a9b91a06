/** Tells for each command whether it still shows the problem. In batches: each answer may need a process. */
export type StillFails = (commands: readonly string[]) => Promise<readonly boolean[]>;

const MAX_ROUNDS = 100;

/** A shorter command with the same problem: large pieces are cut out first, then smaller ones, while one can be spared. */
export async function shrink(command: string, stillFails: StillFails): Promise<string> {
  let smallest = command;
  let size = Math.ceil(command.length / 2);
  for (let round = 0; round < MAX_ROUNDS && size >= 1; round += 1) {
    const candidates = cuts(smallest, size);
    const failing = await stillFails(candidates);
    const next = candidates.find((_, index) => failing[index]);
    if (next === undefined) size = Math.floor(size / 2);
    else smallest = next;
  }
  return smallest;
}

/** The text without one piece of this size, for every half of it a place. */
function cuts(text: string, size: number): string[] {
  const found: string[] = [];
  const step = Math.max(1, Math.floor(size / 2));
  for (let at = 0; at + size <= text.length; at += step) found.push(text.slice(0, at) + text.slice(at + size));
  return found;
}
