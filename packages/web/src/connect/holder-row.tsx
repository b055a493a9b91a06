import { type DeviceView, okSchema, type TokenView } from "@countersign/protocol/access";
import { visible } from "@countersign/protocol/text";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useHub, useMutation } from "../hub/index.ts";
import { ago, clockTime } from "../text/index.ts";
import { Button, Notice, nowMs, VisibleText } from "../ui/index.ts";

/** A token holder, with a button that revokes the token. Two steps, because it can't be undone. */
export function HolderRow({ holder, onRevoked }: { holder: Holder; onRevoked(): Promise<void> }): VNode {
  const { token, signer, madeBy, isThis } = holder;
  const hub = useHub();
  const [isSure, setSure] = useState(false);
  const { isBusy, problem, mutate } = useMutation();
  const revoke = () =>
    mutate(async () => {
      await hub.api(okSchema, "DELETE /api/v1/tokens/:id", { params: { id: token.id } });
      await onRevoked();
    });
  return (
    <li class="holder">
      <div class="holder-who">
        <strong>
          <VisibleText text={token.name} />
        </strong>
        {isThis && <span class="holder-this">this browser</span>}
        <span class="quiet small">
          {token.role}
          {token.unattended && ", unattended"}
          {signer && " · signs"} · since {clockTime(token.createdAtMs, nowMs.value)}
          {madeBy !== undefined && (
            <>
              {", made with "}
              <VisibleText text={madeBy} />
            </>
          )}
        </span>
        <span class={`small ${token.connected ? "holder-here" : "quiet"}`}>{seen(holder, nowMs.value)}</span>
      </div>
      {!isThis && (
        <div class="holder-act">
          {isSure ? (
            <>
              <Button kind="danger" disabled={isBusy} onClick={revoke} aria-label={`Revoke ${visible(token.name)} now`}>
                Revoke permanently
              </Button>
              <Button kind="plain" onClick={() => setSure(false)}>
                Keep
              </Button>
            </>
          ) : (
            <Button onClick={() => setSure(true)} aria-label={`Revoke ${visible(token.name)}`}>
              Revoke…
            </Button>
          )}
        </div>
      )}
      {problem && <Notice kind="problem">{problem}</Notice>}
    </li>
  );
}

function seen({ token: { connected, lastSeenAtMs } }: Holder, now: number): string {
  if (connected) return "● connected";
  if (lastSeenAtMs === null) return "never seen";
  return `last seen ${ago(lastSeenAtMs, now)}`;
}

/** A holder of access: a token, and the device that signs for it, if any. */
export interface Holder {
  readonly token: TokenView;
  readonly signer: DeviceView | undefined;
  /** The name of the token that created it; undefined if unknown. */
  readonly madeBy: string | undefined;
  /** This browser. */
  readonly isThis: boolean;
}

/** Groups the unrevoked tokens: signing devices and others, the one last seen first. */
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
