import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { keyFileOf, NotifyError, readApiKey } from "@countersign/core/config";
import { knownSecrets } from "@countersign/core/redaction";

export interface SecretRooms {
  readonly keysDir: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * What a channel's messages are signed with: from the environment, or `keys/notify-<name>.key`, made where it isn't there.
 * From then on nothing that is told or kept holds it.
 */
export function channelSecret(name: string, secretEnv: string | undefined, { keysDir, env }: SecretRooms): string {
  const path = keyFileOf(keysDir, `notify-${name}`);
  const known = readApiKey(path, secretEnv, env);
  if (known !== undefined) return known;
  if (secretEnv !== undefined)
    throw new NotifyError("REFUSED", `${secretEnv} isn't set, and messages aren't sent without a signature`);
  const made = randomBytes(32).toString("base64url");
  writeFileSync(path, `${made}\n`, { mode: 0o600, flag: "wx" });
  knownSecrets.keep(made);
  return made;
}
