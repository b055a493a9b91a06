import { type Addresses, addressesSchema, phoneOriginsOf } from "@countersign/protocol/access";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { countdown } from "../text/index.ts";
import { Button, CopyButton, Dialog, Notice, nowMs, VisibleText } from "../ui/index.ts";
import { CommandLine } from "./command-line.tsx";
import { QrCode } from "./qr-code.tsx";
import { type Letting, useLetIn } from "./use-let-in.ts";
import { useLoaded } from "./use-loaded.ts";

/** The approver's side of pairing: a link for the new device, then the number that both show. */
export function PairDialog({ onClose }: { onClose(): void }): VNode {
  const { answer, problem } = useLoaded(addressesSchema, "GET /api/v1/addresses");
  const { state, confirm, refuse, again } = useLetIn();
  return (
    <Dialog title="Pair a phone or browser" onClose={onClose}>
      <div class="pair-dialog">
        {problem && <Notice kind="problem">{problem}</Notice>}
        {state.kind === "open" && answer && <Links addresses={answer} {...state} />}
        {state.kind === "claimed" && <Compare {...state} confirm={confirm} refuse={refuse} />}
        {state.kind === "done" && (
          <Notice>
            <VisibleText text={state.name} /> is let in.
          </Notice>
        )}
        {state.kind === "over" && <Notice kind="problem">{state.problem}</Notice>}
        <div class="dialog-acts">
          {state.kind === "over" && (
            <Button kind="main" onClick={again}>
              Make another link
            </Button>
          )}
          <Button onClick={onClose}>{state.kind === "done" ? "Done" : "Close"}</Button>
        </div>
      </div>
    </Dialog>
  );
}

function Links({ addresses, code, expiresAtMs }: { addresses: Addresses } & Extract<Letting, { kind: "open" }>): VNode {
  const origins = phoneOriginsOf(addresses);
  const [chosen, setChosen] = useState(0);
  const origin = origins[chosen] ?? origins[0];
  return (
    <>
      {origin === undefined ? (
        <NoPhone addresses={addresses} />
      ) : (
        <>
          {origins.length > 1 && (
            <label class="pair-origin">
              Address
              <select onChange={(event) => setChosen(event.currentTarget.selectedIndex)}>
                {origins.map((each) => (
                  <option key={each}>{each}</option>
                ))}
              </select>
            </label>
          )}
          <Trust addresses={addresses} origin={origin} />
          <p>Scan this with the phone:</p>
          <QrCode text={linkAt(origin, code)} label="A code that opens the pairing link" />
        </>
      )}
      <p>
        {origin === undefined
          ? "Open this in another browser on the hub’s machine:"
          : "Or open this in another browser:"}
      </p>
      <p class="pair-link">
        <code>{linkAt(origin ?? location.origin, code)}</code>
        <CopyButton text={linkAt(origin ?? location.origin, code)} what="the pairing link" />
      </p>
      <p class="quiet small" role="status">
        Waiting for it · the link is good for {timeLeft(expiresAtMs)} and one device
      </p>
    </>
  );
}

/** The hub's clock and this one may differ by a second; more than two minutes would look wrong. */
function timeLeft(expiresAtMs: number): string {
  return countdown(Math.min(expiresAtMs - nowMs.value, 120_000));
}

function linkAt(origin: string, code: string): string {
  return `${origin}/#pair=${code}`;
}

function Trust({ addresses: { addresses, ca }, origin }: { addresses: Addresses; origin: string }): VNode | null {
  const rests = addresses.some((address) => address.origin === origin && address.from === "network");
  if (ca === null || !rests) return null;
  return (
    <details class="small">
      <summary>The first time, the phone has to trust the hub’s certificate</summary>
      <p>
        Open <code>{`${origin}${ca.path}`}</code> on the phone and install it. It counts for addresses of private
        networks only. Its SHA-256, which the phone shows, must be:
      </p>
      <p class="mono pair-fingerprint">{ca.sha256}</p>
    </details>
  );
}

function NoPhone({ addresses: { addresses } }: { addresses: Addresses }): VNode {
  const port = new URL(addresses[0]?.origin ?? location.origin).port;
  return (
    <details>
      <summary>A phone can’t reach this hub yet: two ways</summary>
      <p>An HTTPS address that leads here already, such as Tailscale’s:</p>
      <CommandLine command={`tailscale serve --bg ${port}`} what="the command for Tailscale" />
      <CommandLine command="countersign phone --address https://…" what="the command that keeps the address" />
      <p>Your own network, with a certificate from a CA of our own:</p>
      <CommandLine command="countersign phone" what="the command that tells this machine’s address" />
    </details>
  );
}

function Compare({
  name,
  check,
  expiresAtMs,
  confirm,
  refuse,
}: Extract<Letting, { kind: "claimed" }> & { confirm(): Promise<void>; refuse(): Promise<void> }): VNode {
  const isArmed = useArmed();
  return (
    <>
      <p>
        <strong>
          <VisibleText text={name} />
        </strong>{" "}
        wants to be let in, to decide in your name. Does it show this number?
      </p>
      <p class="pair-number mono" role="status">
        {check.slice(0, 3)} {check.slice(3)}
      </p>
      <div class="dialog-acts">
        <Button kind="main" disabled={!isArmed} onClick={confirm}>
          The same: let it in
        </Button>
        <Button kind="danger" onClick={refuse}>
          Not the same
        </Button>
      </div>
      <p class="quiet small">{timeLeft(expiresAtMs)} left</p>
    </>
  );
}

const ARMING_MS = 400;

/** Not for a click that was meant for what stood here a moment ago. */
function useArmed(): boolean {
  const [isArmed, setArmed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), ARMING_MS);
    return () => clearTimeout(timer);
  }, []);
  return isArmed;
}
