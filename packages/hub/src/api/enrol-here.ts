import { HubError, readOrRefuse } from "@countersign/core/errors";
import { type EnrolledDevice, localDeviceSchema } from "@countersign/protocol/access";
import type { Hub } from "../hub/index.ts";
import type { FailedLogins, Tokens } from "../identity/index.ts";
import { authorize } from "./calls.ts";

export interface EnrolRooms {
  readonly hub: Hub;
  readonly tokens: Tokens;
  readonly failedLogins: FailedLogins;
}

/** Wrong tokens are counted as they are of an address. */
const HERE = "the local socket";

/**
 * `enrolDevice` on the local socket, the one question there that needs a token. Only this user, at this machine, can open the socket; so
 * a key comes in here that a token alone, stolen from somewhere, doesn't bring in.
 */
export async function enrolHere(params: unknown, { hub, tokens, failedLogins }: EnrolRooms): Promise<EnrolledDevice> {
  const { token, ...wanted } = readOrRefuse(localDeviceSchema, params);
  const by = failedLogins.attempt(HERE, token, () => tokens.identify(token));
  if (by === "limited") throw new HubError("LIMIT", "Too many wrong tokens; try again in a second (limit: logins)");
  if (by === undefined) throw new HubError("UNAUTHORIZED", "There's no such token");
  authorize("socket", "enrolDevice", by);
  return await hub.devices.enrol(wanted, by);
}
