import { pairingClaimedSchema, pairingCollectedSchema } from "@countersign/protocol/access";
import { type DeviceKey, generateDeviceKey } from "@countersign/sdk";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, type Credentials, callApi } from "../hub/index.ts";
import { countdown } from "../text/index.ts";
import { Button, Notice, nowMs } from "../ui/index.ts";
import { guessName } from "./guess-name.ts";

interface Props {
  readonly code: string;
  onDevice(device: Credentials): Promise<void>;
  /** Opens the other ways to sign in. */
  onLeave(): void;
}

/** The new device's side of pairing: asks for a name, then shows the number to compare with the one where the link was made. */
export function Pair({ code, onDevice, onLeave }: Props): VNode {
  const { state, ask } = usePairing(code, onDevice);
  switch (state.kind) {
    case "naming":
    case "asking":
      return <Naming state={state} ask={ask} />;
    case "waiting":
      return <Waiting {...state} />;
    case "over":
      return <Over why={state.why} onLeave={onLeave} />;
  }
}

function Naming({ state, ask }: { state: PairingState; ask(name: string): Promise<void> }): VNode {
  const [name, setName] = useState(() => guessName(navigator.userAgent));
  return (
    <form
      onSubmit={async (event) => {
        event.preventDefault();
        await ask(name.trim());
      }}
    >
      <p>This browser will show you what agents ask for, and sign what you answer with a key that never leaves it.</p>
      <label>
        Call it
        <input
          autofocus
          required
          maxLength={64}
          autocomplete="off"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <span class="quiet small">The name is shown with each of your decisions.</span>
      </label>
      <Button kind="main" type="submit" disabled={state.kind === "asking" || name.trim() === ""}>
        Pair this browser
      </Button>
      {state.kind === "naming" && state.problem && <Notice kind="problem">{state.problem}</Notice>}
    </form>
  );
}

function Waiting({ check, expiresAtMs, problem }: Extract<PairingState, { kind: "waiting" }>): VNode {
  return (
    <div class="pair-waiting">
      <p id="check-label">Compare this number</p>
      <p class="pair-check mono" aria-labelledby="check-label" role="status">
        {check.slice(0, 3)} {check.slice(3)}
      </p>
      <p>
        The terminal or page that the link came from shows a number too. If it is the same, confirm there: in a terminal
        with <kbd>y</kbd> and <kbd>Enter</kbd>. If it isn’t, somebody else opened your link: answer <kbd>n</kbd>.
      </p>
      <p class="quiet small">Waiting for you to confirm · {countdown(Math.min(expiresAtMs - nowMs.value, LIVE_MS))}</p>
      {problem && <Notice kind="problem">{problem} It is tried again.</Notice>}
    </div>
  );
}

/** The lifetime of a link; caps the countdown if the clocks differ. */
const LIVE_MS = 120_000;

const WHY = {
  used: "This link was used before, or is older than two minutes.",
  expired: "Nobody confirmed in time. The link is void.",
  refused: "Pairing was rejected where the link was made. This browser isn’t paired, and the link is void.",
} as const;

function Over({ why, onLeave }: { why: keyof typeof WHY; onLeave(): void }): VNode {
  return (
    <div class="pair-over">
      <Notice kind="problem">{WHY[why]}</Notice>
      <p>
        For another link type <kbd>p</kbd> and <kbd>Enter</kbd> where <code>countersign serve</code> runs, or run{" "}
        <code>countersign pair</code>.
      </p>
      <Button onClick={onLeave}>Other ways in</Button>
    </div>
  );
}

type PairingState =
  | { readonly kind: "naming"; readonly problem?: string }
  | { readonly kind: "asking" }
  /** Both sides show `check`, and a person compares them where the link was made. */
  | { readonly kind: "waiting"; readonly check: string; readonly expiresAtMs: number; readonly problem?: string }
  | { readonly kind: "over"; readonly why: "used" | "refused" | "expired" };

/** The longest wait that the hub allows. */
const WAIT_MS = 25_000;
const RETRY_MS = 1_000;

/** Pairs this browser: creates a key, claims the link under a name, shows the check number, and collects the token. */
function usePairing(code: string, onDevice: (device: Credentials) => Promise<void>) {
  const [state, setState] = useState<PairingState>({ kind: "naming" });
  const gone = useRef(new AbortController());
  useEffect(() => () => gone.current.abort(), []);
  const ask = async (name: string) => {
    setState({ kind: "asking" });
    const { signal } = gone.current;
    try {
      const key = await newKey();
      const secret = crypto.randomUUID();
      const body = { code, name, publicKey: key.publicKey, secret };
      const { check, expiresAtMs } = await callApi(undefined, pairingClaimedSchema, "POST /api/v1/pairing/claim", {
        body,
        signal,
      });
      const waiting = { kind: "waiting", check, expiresAtMs } as const;
      setState(waiting);
      const collected = await collect(
        { code, secret },
        {
          signal,
          expiresAtMs,
          onProblem: (problem) => setState(problem === undefined ? waiting : { ...waiting, problem }),
        },
      );
      if (collected.state === "paired")
        await onDevice({ token: collected.token, deviceId: collected.deviceId, name, key });
      else setState({ kind: "over", why: collected.state });
    } catch (cause) {
      if (signal.aborted) return;
      if (!(cause instanceof ApiError)) throw cause;
      setState(cause.code === "NOT_FOUND" ? { kind: "over", why: "used" } : { kind: "naming", problem: cause.message });
    }
  };
  return { state, ask };
}

async function newKey(): Promise<DeviceKey> {
  try {
    return await generateDeviceKey();
  } catch (cause) {
    throw new ApiError("INTERNAL", "This browser can’t create the key that signs decisions. Use a newer one.", {
      cause,
    });
  }
}

interface Collecting {
  readonly signal: AbortSignal;
  readonly expiresAtMs: number;
  onProblem(problem: string | undefined): void;
}

/** Waits until someone has answered, across lost connections, until the code expires. */
async function collect(claim: { code: string; secret: string }, { signal, expiresAtMs, onProblem }: Collecting) {
  while (!signal.aborted) {
    try {
      const body = { ...claim, waitMs: WAIT_MS };
      const answer = await callApi(undefined, pairingCollectedSchema, "POST /api/v1/pairing/collect", { body, signal });
      if (answer.state !== "waiting") return answer;
      onProblem(undefined);
    } catch (cause) {
      if (!(cause instanceof ApiError) || signal.aborted) throw cause;
      if (cause.code === "NOT_FOUND" || Date.now() >= expiresAtMs) return { state: "expired" } as const;
      onProblem(cause.message);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  return { state: "expired" } as const;
}
