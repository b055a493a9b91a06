import type { Log } from "@countersign/core/base";
import { type GuardReport, leftWords, type OpenLooks, type WorkspaceGuards } from "../workspace/index.ts";

const UNREAD =
  "run/looks.jsonl is damaged: what runs of a killed hub left may not have been looked at. Look at what starts code in your workspaces (.git, .envrc, .vscode, settings of agents)";

/**
 * Looks at what runs left whose hub was killed, and takes away what would start code: before anything else runs there. Gives back what was
 * found, in words, by the key of the proposal.
 */
export async function finishLeftLooks(
  looks: OpenLooks,
  guards: WorkspaceGuards,
  log: Log,
): Promise<ReadonlyMap<string, string>> {
  const told = new Map<string, string>();
  if (looks.unread > 0) log.warn({ lines: looks.unread }, UNREAD);
  for (const left of looks.takeLeft()) {
    const { root, key } = left.facts;
    try {
      const words = wordsOf(await guards.finishLeft(left));
      if (words === "") continue;
      log.warn({ root, proposal: key }, words);
      if (key !== undefined) told.set(key, [told.get(key) ?? [], words].flat().join(" "));
    } catch (cause) {
      // It stays open on disk: the next start tries again.
      log.error({ err: cause, root }, "what a run left can't be looked at");
    }
  }
  looks.forgetLeft();
  return told;
}

function wordsOf({ failed, unseen, ...report }: GuardReport): string {
  return leftWords({ ...report, unsure: [...failed, ...unseen] }).join(" ");
}
