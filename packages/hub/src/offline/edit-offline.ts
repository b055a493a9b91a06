import { silentLog, systemClock } from "@countersign/core/base";
import { type Home, readConfig } from "@countersign/core/config";
import { HubError } from "@countersign/core/errors";
import { userName } from "@countersign/core/host";
import type { PolicyEdit, PolicyEdited, PolicyTrust } from "@countersign/protocol/policy";
import type { Store } from "@countersign/store";
import { Devices } from "../identity/index.ts";
import {
  ActiveProfiles,
  editProfileFile,
  findEntries,
  isBuiltIn,
  named,
  narrowed,
  organisationPolicy,
  Pause,
  PolicyEdits,
  profileIds,
  readProfileFile,
  toEdit,
} from "../policies/index.ts";
import { inHome, owner } from "./offline-home.ts";

/** An edit where no hub runs: the home is held meanwhile, and the store has it as if a hub had made it. */
export async function editOffline(edit: PolicyEdit, homeDir: string): Promise<PolicyEdited> {
  return await inHome(homeDir, async (home, store) => {
    if (store) return await (await editsOf(home, store)).edit(edit, owner());
    return await editFile(home, edit);
  });
}

export async function trustOffline(trust: PolicyTrust, homeDir: string): Promise<void> {
  await inHome(homeDir, async (home, store) => {
    if (!store) throw new HubError("CONFLICT", `${home.dir} was never served, so nothing can be kept there yet`);
    await (await editsOf(home, store)).trust(trust, owner());
  });
}

/** A home that was never served: its first start takes the files as they are. */
async function editFile({ profiles }: Home, { profile, change }: PolicyEdit): Promise<PolicyEdited> {
  if (!isBuiltIn(profile) && !profileIds(profiles).includes(profile))
    throw new HubError("NOT_FOUND", `There's no profile ${profile}`);
  const file = readProfileFile(profiles, profile);
  if (file.kind === "broken") throw new HubError("CONFLICT", `It can't be changed: ${file.problem}`);
  const wanted = toEdit(change, { by: userName(), atMs: systemClock.wallMs() });
  const edit = wanted.narrows ? narrowed(file.profile, wanted) : wanted;
  const removed = edit.remove === undefined ? [] : findEntries([file.profile], edit.remove);
  await editProfileFile(profiles, profile, edit);
  return { ok: true, added: [...(edit.allow ?? []), ...(edit.deny ?? [])].map(named), removed: removed.map(named) };
}

async function editsOf(home: Home, store: Store): Promise<PolicyEdits> {
  const pause = await Pause.load(store, systemClock);
  const { layers } = await organisationPolicy(readConfig(home.config).organisation, store, { firstStart: false });
  const organisation = { requiresDevice: layers.some(({ block }) => block.assurance === "device") };
  // Another edit that is frozen stays so: the next start asks about it.
  const questions = {
    open: () => Promise.reject(new HubError("INTERNAL", "No hub runs that could ask")),
    cancel: () => Promise.resolve(false),
  };
  const shared = { store, clock: systemClock, pause, organisation };
  const profiles = new ActiveProfiles({ ...shared, profilesDir: home.profiles, log: silentLog, questions });
  return new PolicyEdits({ ...shared, profiles, devices: new Devices(store, systemClock) });
}
