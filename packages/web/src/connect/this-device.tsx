import { okSchema, type TokenView } from "@countersign/protocol/access";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useHub } from "../hub/index.ts";
import type { ViewProps } from "../navigation/index.ts";
import { Button, Dialog, Notice, VisibleText } from "../ui/index.ts";
import { useChange } from "./use-change.ts";

/** What this browser is to the hub. `token`: its own, where the hub tells. */
export function ThisDevice({ token, signOut }: ViewProps & { token: TokenView | undefined }): VNode {
  const { device, info } = useHub();
  const [isLeaving, setLeaving] = useState(false);
  return (
    <section aria-labelledby="this-title">
      <h2 id="this-title">This browser</h2>
      <dl class="facts">
        <div>
          <dt>Name</dt>
          <dd>
            <VisibleText text={device.name} />
          </dd>
        </div>
        <div>
          <dt>Hub</dt>
          <dd>
            {location.host}
            {info.value && <span class="quiet"> · version {info.value.version}</span>}
          </dd>
        </div>
        <div>
          <dt>Its decisions</dt>
          <dd>
            {device.key ? (
              <>
                are signed here, with key <code>{device.key.keyId.slice(0, 12)}…</code> that never leaves this browser
              </>
            ) : (
              "aren’t signed: this browser came with a token that it has no key for. They count as the token’s word, whoever has it"
            )}
          </dd>
        </div>
      </dl>
      <p>
        <Button onClick={() => setLeaving(true)}>Sign out…</Button>
      </p>
      {isLeaving && <SignOut token={token} signOut={signOut} onClose={() => setLeaving(false)} />}
    </section>
  );
}

function SignOut({ token, signOut, onClose }: Parameters<typeof ThisDevice>[0] & { onClose(): void }): VNode {
  const hub = useHub();
  const { isBusy, problem, change } = useChange();
  const revoke = () =>
    change(async () => {
      if (token === undefined) return;
      await hub.api(okSchema, "DELETE /api/v1/tokens/:id", { params: { id: token.id } });
      await signOut("Signed out. This browser’s token is revoked.");
    });
  return (
    <Dialog title="Sign out" onClose={onClose}>
      <p>This browser forgets its key, for good. To come back it has to be paired again.</p>
      {token === undefined && <p>The token that was pasted stays good: the hub knows it from elsewhere.</p>}
      {problem && <Notice kind="problem">{problem}</Notice>}
      <div class="dialog-acts">
        {token && (
          <Button kind="main" disabled={isBusy} onClick={revoke}>
            Sign out and revoke
          </Button>
        )}
        <Button disabled={isBusy} onClick={() => signOut("Signed out. This browser has forgotten its key.")}>
          {token ? "Only forget the key" : "Sign out"}
        </Button>
        <Button kind="plain" onClick={onClose}>
          Stay
        </Button>
      </div>
    </Dialog>
  );
}
