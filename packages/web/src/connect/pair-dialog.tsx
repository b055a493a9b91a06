import {
  type Addresses,
  addressesSchema,
  okSchema,
  pairingStartedSchema,
  pairingViewSchema,
  phoneOriginsOf,
} from "@countersign/protocol/access";
import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { encode } from "uqr";
import { ApiError, type PageHub, signChangeFields, useHub } from "../hub/index.ts";
import { countdown } from "../text/index.ts";
import { Button, CopyButton, Dialog, Notice, nowMs, VisibleText } from "../ui/index.ts";
import { CommandLine } from "./command-line.tsx";
import { useLoaded } from "./use-loaded.ts";

/** The approver's side of pairing: shows a link for the new device, then the number that both devices show. */
export function PairDialog({ onClose }: { onClose(): void }): VNode {
  const { answer, problem } = useLoaded(addressesSchema, "GET /api/v1/addresses");
  const { state, confirm, refuse, again } = usePairDevice();
  return (
    <Dialog title="Pair a phone or browser" onClose={onClose}>
      <div class="pair-dialog">
        {problem && <Notice kind="problem">{problem}</Notice>}
        {state.kind === "open" && answer && <Links addresses={answer} {...state} />}
        {state.kind === "claimed" && <Compare {...state} confirm={confirm} refuse={refuse} />}
        {state.kind === "done" && (
          <Notice>
            <VisibleText text={state.name} /> is paired.
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

function Links({
  addresses,
  code,
  expiresAtMs,
}: { addresses: Addresses } & Extract<PairingProgress, { kind: "open" }>): VNode {
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
        Waiting for it · the link works for {timeLeft(expiresAtMs)} and one device
      </p>
    </>
  );
}

/** The clocks may differ by a second, and more than two minutes would look wrong. */
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
}: Extract<PairingProgress, { kind: "claimed" }> & { confirm(): Promise<void>; refuse(): Promise<void> }): VNode {
  const isArmed = useArmed();
  return (
    <>
      <p>
        <strong>
          <VisibleText text={name} />
        </strong>{" "}
        wants to pair, and to decide in your name. Does it show this number?
      </p>
      <p class="pair-number mono" role="status">
        {check.slice(0, 3)} {check.slice(3)}
      </p>
      <div class="dialog-acts">
        <Button kind="main" disabled={!isArmed} onClick={confirm}>
          The same: pair it
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

/** Ignores a click that was meant for the previous content. */
function useArmed(): boolean {
  const [isArmed, setArmed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), ARMING_MS);
    return () => clearTimeout(timer);
  }, []);
  return isArmed;
}

/** ISO/IEC 18004, 6.3.8: readers need four light modules around it. */
const QUIET = 4;

/** Dark on light in both themes: some readers need that. */
function QrCode({ text, label }: { text: string; label: string }): VNode {
  const { size, path } = useMemo(() => draw(text), [text]);
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect class="qr-light" width={size} height={size} />
      <path class="qr-dark" d={path} />
    </svg>
  );
}

function draw(text: string): { size: number; path: string } {
  const { data, size } = encode(text, { ecc: "M", border: QUIET });
  const modules = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return { size, path: modules.join("") };
}

type PairingProgress =
  | { readonly kind: "starting" }
  | { readonly kind: "open"; readonly code: string; readonly expiresAtMs: number }
  | {
      readonly kind: "claimed";
      readonly code: string;
      readonly name: string;
      readonly check: string;
      readonly keyId: string;
      readonly expiresAtMs: number;
    }
  | { readonly kind: "done"; readonly name: string }
  | { readonly kind: "over"; readonly problem: string };

/** The longest wait that the hub allows. */
const WAIT_MS = 25_000;
const EXPIRED = "No device used the link in time. It is void.";

/** Creates a code, waits for a device to claim it, and admits or rejects the device. Cancels a code that is no longer needed. */
function usePairDevice() {
  const hub = useHub();
  const [round, setRound] = useState(0);
  const [state, setState] = useState<PairingProgress>({ kind: "starting" });
  const isSettled = useRef(false);
  useEffect(() => {
    const gone = new AbortController();
    isSettled.current = false;
    admitDevice(hub, gone.signal, setState).catch((cause: unknown) => {
      if (gone.signal.aborted) return;
      if (!(cause instanceof ApiError)) throw cause;
      setState({ kind: "over", problem: cause.code === "NOT_FOUND" ? EXPIRED : cause.message });
    });
    return () => gone.abort();
  }, [hub, round]);
  const code = state.kind === "open" || state.kind === "claimed" ? state.code : undefined;
  useEffect(() => {
    if (code === undefined) return;
    return () => {
      if (!isSettled.current) void refuse(hub, code);
    };
  }, [hub, code]);
  const settle = async (work: () => Promise<PairingProgress>) => {
    isSettled.current = true;
    try {
      setState(await work());
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      setState({ kind: "over", problem: cause.code === "NOT_FOUND" ? EXPIRED : cause.message });
    }
  };
  return {
    state,
    again: () => setRound((before) => before + 1),
    confirm: () =>
      settle(async () => {
        if (state.kind !== "claimed") return state;
        const { code, check, keyId, name } = state;
        const change = { approvalId: `pairing:${code}`, content: { check, code, keyId, name } };
        const body = { code, check, ...(await signChangeFields(change, hub)) };
        await hub.api(okSchema, "POST /api/v1/pairing/confirm", { body });
        return { kind: "done", name };
      }),
    refuse: () =>
      settle(async () => {
        if (code !== undefined) await hub.api(okSchema, "DELETE /api/v1/pairing/:code", { params: { code } });
        return { kind: "over", problem: "Not paired. The link is void." };
      }),
  };
}

async function admitDevice(hub: PageHub, signal: AbortSignal, report: (state: PairingProgress) => void): Promise<void> {
  const { code, expiresAtMs } = await hub.api(pairingStartedSchema, "POST /api/v1/pairing", { signal });
  report({ kind: "open", code, expiresAtMs });
  while (!signal.aborted) {
    const query = { waitMs: WAIT_MS };
    const view = await hub.api(pairingViewSchema, "GET /api/v1/pairing/:code", { params: { code }, query, signal });
    if (view.state === "open") continue;
    if (view.state === "claimed") report({ kind: "claimed", code, ...view });
    else
      report({
        kind: "over",
        problem: view.state === "refused" ? "The link was cancelled elsewhere." : "The device was paired elsewhere.",
      });
    return;
  }
}

async function refuse(hub: PageHub, code: string): Promise<void> {
  // The code may be void already, or the hub away: then it expires.
  await hub.api(okSchema, "DELETE /api/v1/pairing/:code", { params: { code } }).catch((cause: unknown) => {
    if (!(cause instanceof ApiError)) throw cause;
  });
}
