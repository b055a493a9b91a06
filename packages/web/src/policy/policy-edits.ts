import { okSchema } from "@countersign/protocol/access";
import { type PolicyChange, type PolicyEdited, policyEditedSchema } from "@countersign/protocol/policy";
import { type PageHub, signChangeFields, useHub, useMutation } from "../hub/index.ts";

interface PolicyEdit {
  readonly isBusy: boolean;
  readonly problem: string | undefined;
  save(change: PolicyChange): Promise<void>;
}

/** Sends changes of a profile, and calls \`done\` when the hub has confirmed one. */
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

/** Signed by this device over the change as it was shown; durable with who made it before it counts. */
async function sendEdit(hub: PageHub, edit: { profile: string; change: PolicyChange }): Promise<PolicyEdited> {
  const body = { ...edit, ...(await signChangeFields({ approvalId: `policy:${edit.profile}`, content: edit }, hub)) };
  return await hub.api(policyEditedSchema, "POST /api/v1/policy/edit", { body });
}

/** `sha256` is of the file as it was shown: another one is refused. Null takes the trust back. */
export async function sendTrust(hub: PageHub, trust: { directory: string; sha256: string | null }): Promise<void> {
  const body = {
    ...trust,
    ...(await signChangeFields({ approvalId: `trust:${trust.directory}`, content: trust }, hub)),
  };
  await hub.api(okSchema, "POST /api/v1/policy/trust", { body });
}
