import { sha256Hex } from "@countersign/core/base";
import type { Config } from "@countersign/core/config";
import { StartError } from "@countersign/core/errors";
import { describeLayerChange, type LayerBlock, type LayerFile, readLayer } from "@countersign/policy";
import { ceilingWords } from "@countersign/protocol/describe";
import type { Store } from "@countersign/store";
import * as z from "zod";
import { policyDiff } from "./policy-question.ts";
import { readPolicyFile } from "./read-policy-file.ts";

/** An organisation's policy: the pin of `config.json`, and the text that has that hash. */
const pinnedSchema = z.object({ file: z.string(), sha256: z.string(), text: z.string() });
export type Pinned = z.infer<typeof pinnedSchema>;

export const ORGANISATION_ACCEPTED = "organisation.accepted";

export interface OrganisationPolicy {
  readonly layers: readonly LayerFile[];
  /** What `config.json` wants and nobody has allowed yet, with what it would newly allow. */
  readonly frozen?: {
    readonly wanted: Pinned | null;
    readonly widening: readonly string[];
    /** From the accepted one to that, as lines. */
    readonly diff: string;
  };
  /** What applies without asking and isn't on record yet. */
  readonly news?: Pinned | null;
  readonly warning?: string;
}

/**
 * Which organisation's policy is in force. What `config.json` pins applies; but where it differs from what a person has
 * accepted, the accepted one stays, the new one may only tighten, and the difference is asked about: whoever can write files
 * must not be able to take an organisation's policy away.
 */
export async function organisationPolicy(
  pin: Config["organisation"],
  store: Pick<Store, "setting"> | undefined,
  { firstStart }: { readonly firstStart: boolean },
): Promise<OrganisationPolicy> {
  const stored = pinnedSchema.safeParse(await store?.setting(ORGANISATION_ACCEPTED));
  const accepted = stored.success ? stored.data : null;
  const { wanted, warning } = readWanted(pin, accepted);
  const told = warning === undefined ? {} : { warning };
  const ours = wanted ? [layerOf(wanted, true)] : [];
  if (wanted?.sha256 === accepted?.sha256) return { layers: ours, ...told };
  const widening = describeChange(accepted, wanted);
  if (firstStart || widening.length === 0) return { layers: ours, news: wanted, ...told };
  const layers = [...(accepted ? [layerOf(accepted, true)] : []), ...(wanted ? [layerOf(wanted, false)] : [])];
  return { layers, frozen: { wanted, widening, diff: diffOf(accepted, wanted) }, ...told };
}

/** The pinned text, from the file or, where that was changed, from what was accepted under the same hash. */
function readWanted(
  pin: Config["organisation"],
  accepted: Pinned | null,
): { readonly wanted: Pinned | null; readonly warning?: string } {
  if (pin === undefined) return { wanted: null };
  const { file, sha256 } = pin;
  const content = readPolicyFile(file);
  if (content.kind === "read" && content.sha256 === sha256) {
    const wanted = { file, sha256, text: content.text };
    blockOf(wanted);
    return { wanted };
  }
  const problem =
    content.kind === "broken"
      ? content.problem
      : `${file} ${content.kind === "absent" ? "isn't there" : `has the SHA-256 ${content.sha256}`}`;
  const warning = `The organisation's policy isn't the one that config.json pins: ${problem}.`;
  if (accepted?.sha256 === sha256)
    return { wanted: { ...accepted, file }, warning: `${warning} The pinned one stays in force.` };
  throw new StartError("CONFIG_INVALID", `${warning} Put the pinned file there, or correct organisation.sha256.`);
}

function layerOf(pinned: Pinned, trusted: boolean): LayerFile {
  return { layer: "organisation", file: pinned.file, block: blockOf(pinned), trusted };
}

function blockOf({ file, text, sha256 }: Pinned): LayerBlock {
  const reading =
    sha256Hex(text) === sha256 ? readLayer(JSON.parse(text)) : { ok: false as const, problems: ["was changed"] };
  if (reading.ok) return reading.block;
  throw new StartError("CONFIG_INVALID", `${file} is invalid: ${reading.problems.slice(0, 5).join("; ")}.`);
}

function diffOf(from: Pinned | null, to: Pinned | null): string {
  return policyDiff(from && blockOf(from), to && blockOf(to));
}

function describeChange(from: Pinned | null, to: Pinned | null): string[] {
  const changes = describeLayerChange(from ? blockOf(from) : undefined, to ? blockOf(to) : undefined, ceilingWords);
  return from && !to && changes.length > 0 ? [`${from.file} no longer applies`, ...changes] : changes;
}

/** Files and directories of Countersign itself, which no command may touch without a person. */
export function ownPaths(home: { readonly dir: string }, { organisation }: Pick<Config, "organisation">): string[] {
  return organisation ? [home.dir, organisation.file] : [home.dir];
}
