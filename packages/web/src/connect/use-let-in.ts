import { okSchema, pairingStartedSchema, pairingViewSchema } from "@countersign/protocol/access";
import { useEffect, useRef, useState } from "preact/hooks";
import type { PageHub } from "../hub/index.ts";
import { ApiError, signatureOver, useHub } from "../hub/index.ts";

export type Letting =
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

/** As long as a hub lets one wait at once. */
const WAIT_MS = 25_000;
const EXPIRED = "Nobody came in time. The link is void.";

/** Makes a code, waits for who claims it, and lets them in or not. A code that nobody needs any more is made void. */
export function useLetIn() {
  const hub = useHub();
  const [round, setRound] = useState(0);
  const [state, setState] = useState<Letting>({ kind: "starting" });
  const isSettled = useRef(false);
  useEffect(() => {
    const gone = new AbortController();
    isSettled.current = false;
    letOneIn(hub, gone.signal, setState).catch((cause: unknown) => {
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
  const settle = async (work: () => Promise<Letting>) => {
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
        const body = { code, check, ...(await signatureOver(change, hub)) };
        await hub.api(okSchema, "POST /api/v1/pairing/confirm", { body });
        return { kind: "done", name };
      }),
    refuse: () =>
      settle(async () => {
        if (code !== undefined) await hub.api(okSchema, "DELETE /api/v1/pairing/:code", { params: { code } });
        return { kind: "over", problem: "Not let in. The link is void." };
      }),
  };
}

async function letOneIn(hub: PageHub, signal: AbortSignal, tell: (state: Letting) => void): Promise<void> {
  const { code, expiresAtMs } = await hub.api(pairingStartedSchema, "POST /api/v1/pairing", { signal });
  tell({ kind: "open", code, expiresAtMs });
  while (!signal.aborted) {
    const query = { waitMs: WAIT_MS };
    const view = await hub.api(pairingViewSchema, "GET /api/v1/pairing/:code", { params: { code }, query, signal });
    if (view.state === "open") continue;
    if (view.state === "claimed") tell({ kind: "claimed", code, ...view });
    else
      tell({
        kind: "over",
        problem: view.state === "refused" ? "The link was made void elsewhere." : "It was let in elsewhere.",
      });
    return;
  }
}

async function refuse(hub: PageHub, code: string): Promise<void> {
  // It may be void already, or the hub away: then time ends it.
  await hub.api(okSchema, "DELETE /api/v1/pairing/:code", { params: { code } }).catch((cause: unknown) => {
    if (!(cause instanceof ApiError)) throw cause;
  });
}
