import { okSchema } from "@countersign/protocol/access";
import { visible } from "@countersign/protocol/text";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useHub } from "../hub/index.ts";
import { ago, clockTime } from "../text/index.ts";
import { Button, Notice, nowMs, VisibleText } from "../ui/index.ts";
import type { Holder } from "./holders.ts";
import { useChange } from "./use-change.ts";

/** One who is let in, and the way to take that back: two steps, since there's none back. */
export function HolderRow({ holder, onRevoked }: { holder: Holder; onRevoked(): Promise<void> }): VNode {
  const { token, signer, madeBy, isThis } = holder;
  const hub = useHub();
  const [isSure, setSure] = useState(false);
  const { isBusy, problem, change } = useChange();
  const revoke = () =>
    change(async () => {
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
                Cut off for ever
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
