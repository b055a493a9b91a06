import { existsSync } from "node:fs";
import type { PolicyEdit, PolicyEdited, PolicyTrust } from "@countersign/sdk";
import { systemClock } from "../clock.ts";
import { readConfig } from "../config.ts";
import { type Home, prepareHome } from "../home.ts";
import { Devices } from "../hub/devices.ts";
import { Pause } from "../hub/pause.ts";
import { HubError } from "../hub-error.ts";
import type { Identity } from "../identity.ts";
import { silentLog } from "../log.ts";
import { userName } from "../machine/user-name.ts";
import { StartError } from "../start-error.ts";
import { lockHome } from "../store/sqlite/lock.ts";
import { openSqliteStore } from "../store/sqlite/open-sqlite-store.ts";
import { type Store, StoreError } from "../store/store.ts";
import { ActiveProfiles } from "./active-profiles.ts";
import { organisationPolicy } from "./organisation.ts";
import { named, PolicyEdits, toEdit } from "./policy-edits.ts";
import { findEntries } from "./profile-edit.ts";
import { editProfileFile, profileIds, readProfileFile } from "./profile-file.ts";

/** The owner of a home that no hub runs for: they have its files, which is as much as its first token. */
function owner(): Identity {
  return { id: "bootstrap", role: "approver", name: userName(), sameUser: true, unattended: false };
}

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
  if (profile !== "default" && !profileIds(profiles).includes(profile))
    throw new HubError("NOT_FOUND", `There's no profile ${profile}`);
  const file = readProfileFile(profiles, profile);
  if (file.kind === "broken") throw new HubError("CONFLICT", `It can't be changed: ${file.problem}`);
  const edit = toEdit(change, { by: userName(), atMs: systemClock.wallMs() });
  const removed = edit.remove === undefined ? [] : findEntries([file.profile], edit.remove);
  await editProfileFile(profiles, profile, edit);
  return { ok: true, added: [...(edit.allow ?? []), ...(edit.deny ?? [])].map(named), removed: removed.map(named) };
}

async function inHome<T>(homeDir: string, work: (home: Home, store: Store | undefined) => Promise<T>): Promise<T> {
  const home = prepareHome(homeDir);
  const lock = holdHome(home.run);
  try {
    const store = existsSync(home.database) ? await openSqliteStore(home.database) : undefined;
    try {
      return await work(home, store);
    } finally {
      await store?.close();
    }
  } finally {
    lock.release();
  }
}

function holdHome(run: string): { release(): void } {
  try {
    return lockHome(run);
  } catch (cause) {
    if (!(cause instanceof StoreError && cause.code === "LOCKED")) throw cause;
    throw new StartError(
      "ALREADY_RUNNING",
      "A hub uses this home and can't be reached. `countersign` tells its state.",
      { cause },
    );
  }
}

async function editsOf(home: Home, store: Store): Promise<PolicyEdits> {
  const pause = await Pause.load(store, systemClock);
  const { layers } = await organisationPolicy(readConfig(home.config).organisation, store, { firstStart: false });
  const rooms = {
    store,
    clock: systemClock,
    log: silentLog,
    isPaused: () => pause.state !== null,
    requiresDevice: () => layers.some(({ block }) => block.assurance === "device"),
  };
  // Another edit that is frozen stays so: the next start asks about it.
  const approvals = {
    open: () => Promise.reject(new HubError("INTERNAL", "No hub runs that could ask")),
    cancel: () => Promise.resolve(false),
  };
  return new PolicyEdits({
    ...rooms,
    profiles: new ActiveProfiles(home.profiles, { ...rooms, approvals }),
    devices: new Devices(store, systemClock),
  });
}
