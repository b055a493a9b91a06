import { pairingClaimedSchema, pairingCollectedSchema } from "@countersign/protocol/access";
import { type DeviceKey, generateDeviceKey } from "@countersign/sdk";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Credentials } from "../hub/index.ts";
import { ApiError, callApi } from "../hub/index.ts";

export type PairingState =
  | { readonly kind: "naming"; readonly problem?: string }
  | { readonly kind: "asking" }
  /** Both sides show `check`; a person compares, where the link came from. */
  | { readonly kind: "waiting"; readonly check: string; readonly expiresAtMs: number; readonly problem?: string }
  | { readonly kind: "over"; readonly why: "used" | "refused" | "expired" };

/** As long as a hub lets one wait at once. */
const WAIT_MS = 25_000;
const RETRY_MS = 1_000;

/** The new device's side of pairing: a key of its own, a name, the number, and in the end a token. */
export function usePairing(code: string, onDevice: (device: Credentials) => Promise<void>) {
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
    throw new ApiError("INTERNAL", "This browser can’t make the key that decisions are signed with. A newer one can.", {
      cause,
    });
  }
}

interface Collecting {
  readonly signal: AbortSignal;
  readonly expiresAtMs: number;
  onProblem(problem: string | undefined): void;
}

/** Waits at the hub until somebody has answered; over lost connections, until the code's time is up. */
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
