/** How sure the hub is of who answered. */
export type Assurance =
  /** Whoever has the token. */
  | { readonly level: "token" }
  /** The holder of this device's key, over exactly this decision about exactly this proposal. */
  | {
      readonly level: "device";
      readonly deviceId: string;
      /** What it is called. */
      readonly name: string;
      readonly keyId: string;
      readonly nonce: string;
    };

/** How sure the hub was of who it was. */
export function assured(assurance: Assurance = { level: "token" }): Record<string, string> {
  if (assurance.level === "token") return { assurance: assurance.level };
  return { assurance: assurance.level, device: assurance.deviceId, keyId: assurance.keyId };
}
