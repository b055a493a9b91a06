import { okSchema } from "@countersign/protocol/access";
import { type PolicyChange, type PolicyEdited, policyEditedSchema } from "@countersign/protocol/policy";
import { type PageHub, signChangeFields, useHub, useMutation } from "../hub/index.ts";

interface PolicyEdit {
  readonly isBusy: boolean;
  readonly problem: string | undefined;
  save(change: PolicyChange): Promise<void>;
}

/** Sends changes of a profile, and calls `done` when the hub has confirmed one. */
export function usePolicyEdit(profile: string, done: () => void): PolicyEdit {
  const hub = useHub();
  const { isBusy, problem, mutate } = useMutation();
  const save = (change: PolicyChange) =>
    mutate(async () => {
      await sendEdit(hub, { profile, change });
      done();
    });
  return { isBusy, problem, save };
}

/** Sends a change, signed by this device over what was displayed. The hub records it with its author before it takes effect. */
async function sendEdit(hub: PageHub, edit: { profile: string; change: PolicyChange }): Promise<PolicyEdited> {
  const body = { ...edit, ...(await signChangeFields({ approvalId: `policy:${edit.profile}`, content: edit }, hub)) };
  return await hub.api(policyEditedSchema, "POST /api/v1/policy/edit", { body });
}

/** Trusts the policy of a repository. `sha256` is the hash of the displayed file: the hub rejects another. Null revokes the trust. */
export async function sendTrust(hub: PageHub, trust: { directory: string; sha256: string | null }): Promise<void> {
  const body = {
    ...trust,
    ...(await signChangeFields({ approvalId: `trust:${trust.directory}`, content: trust }, hub)),
  };
  await hub.api(okSchema, "POST /api/v1/policy/trust", { body });
}
