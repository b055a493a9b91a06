import type { Log } from "@countersign/core/base";
import { finishLeftLook, type GuardReport, type LookKit, leftWords } from "../workspace/index.ts";

const UNREAD =
  "run/looks.jsonl is damaged: what runs of a killed hub left may not have been looked at. Look at what starts code in your workspaces (.git, .envrc, .vscode, settings of agents)";

/**
 * Looks at what runs left whose hub was killed, and takes away what would start code: before anything else runs there. Gives back what was
 * found, in words, by the key of the proposal.
 */
export async function finishLeftLooks(kit: LookKit, log: Log): Promise<ReadonlyMap<string, string>> {
  const told = new Map<string, string>();
  if (kit.looks.unread > 0) log.warn({ lines: kit.looks.unread }, UNREAD);
  for (const left of kit.looks.takeLeft()) {
    const { root, key } = left.facts;
    try {
      const words = wordsOf(await finishLeftLook(left, kit));
      if (words === "") continue;
      log.warn({ root, proposal: key }, words);
      if (key !== undefined) told.set(key, [told.get(key) ?? [], words].flat().join(" "));
    } catch (cause) {
      // It stays open on disk: the next start tries again.
      log.error({ err: cause, root }, "what a run left can't be looked at");
    }
  }
  kit.looks.forgetLeft();
  return told;
}

function wordsOf({ failed, unseen, ...report }: GuardReport): string {
  return leftWords({ ...report, unsure: [...failed, ...unseen] }).join(" ");
}
