import type { ExecApprovalRequestPayload } from "../proposals/index.ts";
import { visible } from "../text/index.ts";

/** Which jail, and whom it lets the command reach. */
export function jailWords(card: Pick<ExecApprovalRequestPayload, "jail" | "network" | "lends">): string {
  const { lends = [] } = card;
  return lends.length === 0 ? limits(card) : `${limits(card)}, lends ${visible(lends.join(", "))}`;
}

function limits({ jail, network }: Pick<ExecApprovalRequestPayload, "jail" | "network">): string {
  if (jail === "none") return "no jail";
  if (network === undefined) return `jail: ${jail}`;
  if (network === "any") return `jail: ${jail}, any network but this machine's`;
  return network.length === 0 ? `jail: ${jail}, no network` : `jail: ${jail}, network: ${visible(network.join(", "))}`;
}
