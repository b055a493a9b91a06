import type { DeviceView, TokenView } from "@countersign/protocol/access";

/** Somebody who can come in: a token, and the device that signs for it, if one does. */
export interface Holder {
  readonly token: TokenView;
  readonly signer: DeviceView | undefined;
  /** The name of the token that it was made with; undefined where that isn't known. */
  readonly madeBy: string | undefined;
  /** The browser that looks at this. */
  readonly isThis: boolean;
}

/** Those who are let in: first who signs, each group with the one last seen first. */
export function holdersOf(
  tokens: readonly TokenView[],
  devices: readonly DeviceView[],
  thisDeviceId: string,
): { readonly devices: readonly Holder[]; readonly tokens: readonly Holder[]; readonly own: TokenView | undefined } {
  const ownTokenId = devices.find(({ id }) => id === thisDeviceId)?.tokenId;
  const live = tokens
    .filter(({ revokedAtMs }) => revokedAtMs === null)
    .map((token) => ({
      token,
      signer: devices.find(({ tokenId, publicKey }) => tokenId === token.id && publicKey !== null),
      madeBy: makerOf(token, tokens),
      isThis: token.id === ownTokenId,
    }))
    .sort((a, b) => lastSeen(b) - lastSeen(a));
  return {
    devices: live.filter(({ signer, isThis }) => signer !== undefined || isThis),
    tokens: live.filter(({ signer, isThis }) => signer === undefined && !isThis),
    own: live.find(({ isThis }) => isThis)?.token,
  };
}

function makerOf({ madeBy }: TokenView, tokens: readonly TokenView[]): string | undefined {
  return madeBy === "bootstrap" ? "the first token" : tokens.find(({ id }) => id === madeBy)?.name;
}

function lastSeen({ token, isThis }: Holder): number {
  if (isThis) return Number.POSITIVE_INFINITY;
  return token.connected ? Number.MAX_VALUE : (token.lastSeenAtMs ?? token.createdAtMs);
}
