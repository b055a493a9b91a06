import type { Clock, Identity } from "@countersign/core/base";
import { HubError, readOrRefuse } from "@countersign/core/errors";
import { realPathAsFarAsItExists } from "@countersign/core/host/fs";
import { filterSecrets } from "@countersign/core/redaction";
import { type Entry, settingsSchema, wantedEntrySchema } from "@countersign/policy";
import { type PolicyEdited, policyEditSchema, policyTrustSchema } from "@countersign/protocol/policy";
import type { Json } from "@countersign/receipts";
import type { Store } from "@countersign/store";
import { uuidv7 } from "uuidv7";
import * as z from "zod";
import { type Assurance, type Devices, nonceWrites, refuseReplay } from "../identity/index.ts";
import type { ActiveOrganisation } from "./active-organisation.ts";
import type { ActiveProfiles } from "./active-profiles.ts";
import type { Pause } from "./pause.ts";
import { type ProfileEdit, refuseSecrets } from "./profile-edit.ts";
import { readRepositoryFile, trustWrite } from "./repositories.ts";

/** Changes of the policy by somebody who may make them: durable with who made them, before they apply. */
export class PolicyEdits {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #profiles: ActiveProfiles;
  readonly #organisation: Pick<ActiveOrganisation, "requiresDevice">;
  readonly #pause: Pick<Pause, "isPaused">;
  readonly #devices: Devices;
  readonly #changed: () => void;

  constructor(options: {
    readonly store: Store;
    readonly clock: Clock;
    readonly profiles: ActiveProfiles;
    readonly organisation: Pick<ActiveOrganisation, "requiresDevice">;
    readonly pause: Pick<Pause, "isPaused">;
    readonly devices: Devices;
    /** What repositories may allow isn't what it was. */
    readonly changed?: () => void;
  }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#profiles = options.profiles;
    this.#organisation = options.organisation;
    this.#pause = options.pause;
    this.#devices = options.devices;
    this.#changed = options.changed ?? (() => undefined);
  }

  async edit(raw: unknown, by: Identity): Promise<PolicyEdited> {
    const { profile, change, ...signature } = readOrRefuse(policyEditSchema, raw);
    if (!this.#profiles.has(profile)) throw new HubError("NOT_FOUND", `There's no profile ${profile}`);
    const about = { approvalId: `policy:${profile}`, content: { change: change as unknown as Json, profile } };
    const assurance = await this.#devices.verifyChange(about, signature, by);
    const edit = toEdit(change, { by: by.name, atMs: this.#clock.wallMs() });
    const { removed } = await this.#profiles.edit(profile, edit, {
      facts: { person: by.name, assurance: assurance.level },
      writes: nonceWrites(assurance, this.#clock.wallMs()),
      mayWiden: (accepted) => this.#refuseWidening(assurance, accepted.assurance === "device"),
    });
    const added = [...(edit.allow ?? []), ...(edit.deny ?? [])];
    return { ok: true, added: added.map(named), removed: removed.map(named) };
  }

  /** Bound to the content that was seen: a file that was changed meanwhile is refused. */
  async trust(raw: unknown, by: Identity): Promise<{ ok: true }> {
    const { directory, sha256, ...signature } = readOrRefuse(policyTrustSchema, raw);
    const about = { approvalId: `trust:${directory}`, content: { directory, sha256 } };
    const assurance = await this.#devices.verifyChange(about, signature, by);
    const atMs = this.#clock.wallMs();
    const trust = sha256 === null ? null : { ...seen(directory, sha256), by: by.name, atMs };
    if (trust) this.#refuseWidening(assurance, await this.#profiles.anyRequiresDevice());
    const how = trust ? "trusted" : "no-longer-trusted";
    const hash = sha256 === null ? null : `sha256:${sha256}`;
    const body = { repository: filterSecrets(directory), hash, by: how, person: by.name, assurance: assurance.level };
    const draft = { type: "policy-changed", sessionId: null, proposalKey: null, atMs, body } as const;
    const writes = [trustWrite(directory, trust), { op: "append", draft } as const, ...nonceWrites(assurance, atMs)];
    refuseReplay(await this.#store.commit(writes));
    this.#changed();
    return { ok: true };
  }

  #refuseWidening(assurance: Assurance, deviceOnly: boolean): void {
    if (this.#pause.isPaused) {
      throw new HubError("UNAUTHORIZED", "Countersign is paused: resume before you allow anything.");
    }
    if ((deviceOnly || this.#organisation.requiresDevice) && assurance.level !== "device") {
      throw new HubError("UNAUTHORIZED", "This policy takes only a device's signature for what allows more");
    }
  }
}

type Change = z.infer<typeof policyEditSchema>["change"];

/** The change as entries of ours. */
export function toEdit(change: Change, origin: Pick<Entry, "by" | "atMs">): ProfileEdit {
  if (change.action === "remove") return { remove: change.entry };
  if (change.action === "set") return { set: readOrRefuse(settingsSchema, change.settings, "settings.") };
  const wanted = readOrRefuse(z.object({ entries: z.array(wantedEntrySchema) }), { entries: change.entries });
  refuseSecrets(wanted.entries);
  const entries = wanted.entries.map((entry): Entry => ({ ...entry, ...origin, id: uuidv7() }));
  if (change.action === "narrow") return { allow: entries, remove: change.entry, narrows: true };
  return change.action === "allow" ? { allow: entries } : { deny: entries };
}

function seen(directory: string, sha256: string) {
  if (realPathAsFarAsItExists(directory) !== directory) {
    throw new HubError("INVALID_PARAMS", `directory: ${directory} isn't a real path`);
  }
  const found = readRepositoryFile(directory);
  if (!found) throw new HubError("NOT_FOUND", `${directory} has no .countersign/policy.json`);
  if (!found.reading.ok) throw new HubError("INVALID_PARAMS", found.reading.problem);
  if (found.reading.sha256 === sha256) return { sha256, block: found.reading.block };
  throw new HubError("CONFLICT", `${found.file} isn't what it was when it was looked at; look at it again`);
}

export function named({ id = "", pattern }: Pick<Entry, "id" | "pattern">): { id: string; pattern: string } {
  return { id, pattern };
}
