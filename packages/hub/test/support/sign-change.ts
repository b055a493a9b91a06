import { canonicalize, type Json } from "@countersign/receipts";
import { type DeviceKey, generateDeviceKey, signChange } from "@countersign/sdk";
import type { TestServer } from "./open-server.ts";

/** A key for this token, or for the first one. */
export async function enrolKey({ api }: TestServer, token?: string): Promise<DeviceKey> {
  const key = await generateDeviceKey();
  const body = { deviceId: key.keyId, name: "laptop", publicKey: key.publicKey };
  const { status } = await api("POST", "/api/v1/devices", body, token);
  if (status !== 200) throw new Error(`the device was refused: ${status}`);
  return key;
}

/** What goes beside a change of this content. */
export function signedOver(approvalId: string, content: object, key: DeviceKey) {
  return signChange({ approvalId, canonical: canonicalize(content as Json) }, key);
}
