import type { DeviceKey } from "@countersign/sdk";
import { indexedDbStore } from "./indexed-db.ts";

/** Makes this browser a device of the hub. */
export interface Credentials {
  readonly token: string;
  readonly deviceId: string;
  /** The name that the person gave it. */
  readonly name: string;
  /** The private key can be used here but not exported. Absent for a pasted token whose key is elsewhere. */
  readonly key?: DeviceKey | undefined;
}

const within = indexedDbStore("countersign", "device");
const THIS = "this";

/**
 * Stored in IndexedDB only: it can hold keys that scripts can't read, and it belongs to this scheme, host and port. Cookies would be sent to
 * every port of the machine.
 */
export async function loadCredentials(): Promise<Credentials | undefined> {
  return (await within("readonly", (store) => store.get(THIS))) as Credentials | undefined;
}

export async function keepCredentials(credentials: Credentials): Promise<void> {
  await within("readwrite", (store) => store.put(credentials, THIS));
}

/** Deletes the key permanently. The hub lists the device until it is revoked there. */
export async function forgetCredentials(): Promise<void> {
  await within("readwrite", (store) => store.delete(THIS));
}
