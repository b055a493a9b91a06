import type { PolicyChange } from "@countersign/protocol/policy";
import { GatewayError } from "@countersign/sdk";
import { useState } from "preact/hooks";
import type { PageHub } from "../hub/index.ts";
import { ApiError, useHub } from "../hub/index.ts";
import { sendEdit } from "./send-edit.ts";

interface Doing<T> {
  readonly problem: string | undefined;
  readonly isSaving: boolean;
  save(what: T): void;
}

/** One thing at a time; it is done when the hub says so, and what the hub refuses is told. */
export function useDoing<T>(work: (hub: PageHub, what: T) => Promise<unknown>, done: () => void): Doing<T> {
  const hub = useHub();
  const [problem, setProblem] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const save = async (what: T) => {
    setSaving(true);
    setProblem(undefined);
    try {
      await work(hub, what);
      done();
    } catch (cause) {
      if (!(cause instanceof ApiError || cause instanceof GatewayError)) throw cause;
      setProblem(cause.message);
    } finally {
      setSaving(false);
    }
  };
  return { problem, isSaving, save };
}

/** The same for a change of a profile. */
export function useSaving(profile: string, done: () => void): Doing<PolicyChange> {
  return useDoing((hub, change) => sendEdit(hub, { profile, change }), done);
}
