import { deviceViewSchema, okSchema, type TokenView, tokenViewSchema } from "@countersign/protocol/access";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import * as z from "zod";
import { useHub, useMutation } from "../hub/index.ts";
import type { ViewProps } from "../navigation/index.ts";
import { Button, Dialog, Notice, VisibleText } from "../ui/index.ts";
import { Agents } from "./agents.tsx";
import { type Holder, HolderRow, holdersOf } from "./holder-row.tsx";
import { Notifications } from "./notifications.tsx";
import { PairDialog } from "./pair-dialog.tsx";
import { Tokens } from "./tokens.tsx";
import { useLoaded } from "./use-loaded.ts";
import "./view.css";

const tokensSchema = z.array(tokenViewSchema);
const devicesSchema = z.array(deviceViewSchema);

/** The people, devices and agents connected to the hub, and how to connect more. */
export default function ConnectView({ signOut }: ViewProps): VNode {
  const { device } = useHub();
  const tokens = useLoaded(tokensSchema, "GET /api/v1/tokens");
  const devices = useLoaded(devicesSchema, "GET /api/v1/devices");
  const holders = holdersOf(tokens.answer ?? [], devices.answer ?? [], device.deviceId);
  const isLoaded = tokens.answer !== undefined && devices.answer !== undefined;
  const again = async () => void (await Promise.all([tokens.again(), devices.again()]));
  const problem = tokens.problem ?? devices.problem;
  return (
    <div class="connect">
      <h1>Connect</h1>
      <Agents />
      <ThisDevice token={holders.own} signOut={signOut} />
      {problem && <Notice kind="problem">{problem}</Notice>}
      {isLoaded && <Devices holders={holders.devices} onChanged={again} />}
      {isLoaded && <Tokens holders={holders.tokens} onChanged={again} />}
      <Notifications />
    </div>
  );
}

/** Paired browsers and phones. */
function Devices({ holders, onChanged }: { holders: readonly Holder[]; onChanged(): Promise<void> }): VNode {
  const [isPairing, setPairing] = useState(false);
  return (
    <section aria-labelledby="devices-title">
      <div class="section-head">
        <h2 id="devices-title">Phones and devices</h2>
        <Button kind="main" onClick={() => setPairing(true)}>
          Pair a phone or browser
        </Button>
      </div>
      <p class="quiet">Each has its own key, signs your decisions there, and can be revoked separately.</p>
      <ul class="holders">
        {holders.map((holder) => (
          <HolderRow key={holder.token.id} holder={holder} onRevoked={onChanged} />
        ))}
      </ul>
      {isPairing && (
        <PairDialog
          onClose={async () => {
            setPairing(false);
            await onChanged();
          }}
        />
      )}
    </section>
  );
}

/** This browser's access. `token`: its own, if the hub lists it. */
function ThisDevice({ token, signOut }: ViewProps & { token: TokenView | undefined }): VNode {
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
  const { isBusy, problem, mutate } = useMutation();
  const revoke = () =>
    mutate(async () => {
      if (token === undefined) return;
      await hub.api(okSchema, "DELETE /api/v1/tokens/:id", { params: { id: token.id } });
      await signOut("Signed out. This browser’s token is revoked.");
    });
  return (
    <Dialog title="Sign out" onClose={onClose}>
      <p>This browser deletes its key. To sign in again, pair it again.</p>
      {token === undefined && <p>The token that was pasted stays good: the hub knows it from elsewhere.</p>}
      {problem && <Notice kind="problem">{problem}</Notice>}
      <div class="dialog-acts">
        {token && (
          <Button kind="main" disabled={isBusy} onClick={revoke}>
            Sign out and revoke
          </Button>
        )}
        <Button disabled={isBusy} onClick={() => signOut("Signed out. This browser has deleted its key.")}>
          {token ? "Only delete the key" : "Sign out"}
        </Button>
        <Button kind="plain" onClick={onClose}>
          Stay
        </Button>
      </div>
    </Dialog>
  );
}
