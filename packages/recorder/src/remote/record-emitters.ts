import type { Clock } from "@countersign/core/base";
import type { Config } from "@countersign/core/config";
import { canonicalize, type Json } from "@countersign/receipts";
import type { Store } from "@countersign/store";

const ENROLLED = "recorder.emitters";

/**
 * In a process of its own nobody can be asked: its config is its own user's, whom it trusts with the key. So who may write
 * sandboxes' chains is on record before anyone does.
 */
export async function recordEmitters(
  emitters: Config["receipts"]["emitters"],
  { store, clock }: { readonly store: Pick<Store, "setting" | "commit">; readonly clock: Clock },
): Promise<void> {
  const value = emitters.map(({ uid, role }) => ({ uid, role })) satisfies Json;
  if (canonicalize((await store.setting(ENROLLED)) ?? []) === canonicalize(value)) return;
  const body = { file: "config.json", by: "recorder", emitters: value.map(({ uid, role }) => `${role}:${uid}`) };
  const draft = { type: "policy-changed", sessionId: null, proposalKey: null, atMs: clock.wallMs(), body } as const;
  await store.commit([
    { op: "put-setting", key: ENROLLED, value },
    { op: "append", draft },
  ]);
}
