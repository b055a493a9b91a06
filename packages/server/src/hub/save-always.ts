import { deriveEntries } from "@countersign/policy";
import type { AnswerResult } from "@countersign/sdk";
import type { Log } from "../log.ts";
import type { ActiveProfiles } from "../profiles/active-profiles.ts";
import type { Considered } from "../propose/consider.ts";

/** Saves what `allow-always` stands for. The command is allowed either way: what could not be saved is told, not thrown. */
export async function saveAlways(
  { classification, proposal, profile, enforcement }: Considered,
  person: string,
  { profiles, log }: { readonly profiles: ActiveProfiles; readonly log: Log },
): Promise<Pick<AnswerResult, "saved" | "note">> {
  const { entries, note } = deriveEntries(classification, {
    roots: proposal.roots,
    safeIsMiss: profile?.safeIsMiss ?? false,
    enforcement,
  });
  const told = note === undefined ? {} : { note };
  if (entries.length === 0) return { saved: [], ...told };
  try {
    await profiles.addEntries(proposal.profileId, entries, person);
    return { saved: entries.map((entry) => entry.pattern), ...told };
  } catch (cause) {
    log.error({ profile: proposal.profileId, err: cause }, "entries for allow-always could not be saved");
    const why = cause instanceof Error ? cause.message : String(cause);
    return { saved: [], note: `Allowed this once; the entry could not be saved: ${why}` };
  }
}
