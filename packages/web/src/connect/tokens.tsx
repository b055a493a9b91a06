import { type NewToken, newTokenSchema } from "@countersign/protocol/access";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { signChangeFields, useHub, useMutation } from "../hub/index.ts";
import { Button, CopyButton, Dialog, Notice, VisibleText } from "../ui/index.ts";
import type { Holder } from "./holder-row.tsx";
import { HolderRow } from "./holder-row.tsx";

/** Tokens of agents, observers, and approvers without a pairing link. */
export function Tokens({ holders, onChanged }: { holders: readonly Holder[]; onChanged(): Promise<void> }): VNode {
  const [isMaking, setMaking] = useState(false);
  return (
    <section aria-labelledby="tokens-title">
      <div class="section-head">
        <h2 id="tokens-title">Tokens</h2>
        <Button onClick={() => setMaking(true)}>New token…</Button>
      </div>
      <p class="quiet">
        For agents and tools that connect to the hub on their own. The hub’s first token isn’t listed: it is in its
        home.
      </p>
      {holders.length === 0 && <p class="quiet">There are no others.</p>}
      <ul class="holders">
        {holders.map((holder) => (
          <HolderRow key={holder.token.id} holder={holder} onRevoked={onChanged} />
        ))}
      </ul>
      {isMaking && (
        <NewTokenDialog
          onClose={async () => {
            setMaking(false);
            await onChanged();
          }}
        />
      )}
    </section>
  );
}

const ROLES = [
  { role: "agent", means: "proposes commands and sees the outcome of its own; can never decide" },
  { role: "observer", means: "sees everything, and changes nothing" },
  { role: "approver", means: "sees, allows and denies everything, and makes tokens: keep it from agents" },
] as const;

function NewTokenDialog({ onClose }: { onClose(): void }): VNode {
  const [made, setMade] = useState<NewToken>();
  return (
    <Dialog title={made ? "The new token" : "New token"} onClose={onClose}>
      {made ? <Made token={made} onClose={onClose} /> : <MakeForm onMade={setMade} onClose={onClose} />}
    </Dialog>
  );
}

function MakeForm({ onMade, onClose }: { onMade(token: NewToken): void; onClose(): void }): VNode {
  const hub = useHub();
  const [name, setName] = useState("");
  const [role, setRole] = useState<(typeof ROLES)[number]["role"]>("agent");
  const [unattended, setUnattended] = useState(false);
  const { isBusy, problem, mutate } = useMutation();
  const make = (event: Event) => {
    event.preventDefault();
    const wanted = { role, name: name.trim(), unattended: role === "agent" && unattended };
    return mutate(async () => {
      const body = { ...wanted, ...(await signChangeFields({ approvalId: `token:${role}`, content: wanted }, hub)) };
      onMade(await hub.api(newTokenSchema, "POST /api/v1/tokens", { body }));
    });
  };
  return (
    <form class="token-form" onSubmit={make}>
      <label>
        Name of its holder
        <input
          autofocus
          required
          maxLength={64}
          autocomplete="off"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <span class="quiet small">Stands on cards and in records.</span>
      </label>
      <fieldset>
        <legend>What it may do</legend>
        {ROLES.map((each) => (
          <label key={each.role}>
            <input type="radio" name="role" checked={role === each.role} onChange={() => setRole(each.role)} />
            <span>
              <strong>{each.role}</strong> <span class="quiet">{each.means}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {role === "agent" && (
        <label class="token-unattended">
          <input
            type="checkbox"
            checked={unattended}
            onChange={(event) => setUnattended(event.currentTarget.checked)}
          />
          <span>
            Unattended <span class="quiet">what the policy doesn’t allow is denied at once instead of asked</span>
          </span>
        </label>
      )}
      {problem && <Notice kind="problem">{problem}</Notice>}
      <div class="dialog-acts">
        <Button kind="main" type="submit" disabled={isBusy || name.trim() === ""}>
          Make it
        </Button>
        <Button kind="plain" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

function Made({ token: { token, name, role }, onClose }: { token: NewToken; onClose(): void }): VNode {
  return (
    <div class="token-form">
      <p>
        For <VisibleText text={name} />, {role}. It is shown this once: the hub keeps only its hash. Give it as{" "}
        <code>COUNTERSIGN_TOKEN</code>.
      </p>
      <p class="pair-link">
        <code>{token}</code>
        <CopyButton text={token} what="the token" />
      </p>
      <div class="dialog-acts">
        <Button onClick={onClose}>I have it</Button>
      </div>
    </div>
  );
}
