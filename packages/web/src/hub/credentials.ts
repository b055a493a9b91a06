import type { DeviceKey } from "@countersign/sdk";
import { indexedDbStore } from "./indexed-db.ts";

/** What makes this browser a device of the hub. */
export interface Credentials {
  readonly token: string;
  readonly deviceId: string;
  /** What the person called it. */
  readonly name: string;
  /** Its private half can be used here and not be carried away. Absent where a token was pasted that has a key elsewhere. */
  readonly key?: DeviceKey | undefined;
}

const within = indexedDbStore("countersign", "device");
const THIS = "this";

/**
 * IndexedDB and nothing else: it holds keys that scripts can't read, and it belongs to this scheme, host and port alone, where cookies
 * would go to every port of the machine.
 */
export async function loadCredentials(): Promise<Credentials | undefined> {
  return (await within("readonly", (store) => store.get(THIS))) as Credentials | undefined;
}

export async function keepCredentials(credentials: Credentials): Promise<void> {
  await within("readwrite", (store) => store.put(credentials, THIS));
}

/** The key is gone for good: the hub still lists the device until it is revoked there. */
export async function forgetCredentials(): Promise<void> {
  await within("readwrite", (store) => store.delete(THIS));
}
