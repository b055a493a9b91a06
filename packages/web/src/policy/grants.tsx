import { okSchema } from "@countersign/protocol/access";
import type { PolicyPage } from "@countersign/protocol/policy";
import { visible } from "@countersign/protocol/text";
import type { VNode } from "preact";
import { useHub, useMutation } from "../hub/index.ts";
import { ago, countdown, elide } from "../text/index.ts";
import { Button, Notice, nowMs, VisibleText } from "../ui/index.ts";
import { usePolicyEdit } from "./policy-edits.ts";
import "./side.css";

const MAX_SHOWN = 100;
const MAX_CHARACTERS = 90;

interface Props {
  page: PolicyPage;
  onChange(message: string): void;
}

/** Permissions from answers that aren't entries: for a session, for a time, or for anything that stays in a directory. */
export function Grants({ page, onChange }: Props): VNode | null {
  const { temporary = [], grants = [] } = page.view ?? {};
  if (temporary.length === 0 && grants.length === 0) return null;
  return (
    <section class="policy-part" aria-labelledby="while-title">
      <h2 id="while-title">Grants</h2>
      <ul class="policy-list">
        {grants.map((grant) => (
          <WorkspaceGrant key={grant.root} grant={grant} page={page} onChange={onChange} />
        ))}
        {temporary.slice(0, MAX_SHOWN).map((one) => (
          <Temporary key={one.id} one={one} onChange={onChange} />
        ))}
      </ul>
      {temporary.length > MAX_SHOWN && <p class="quiet">and {temporary.length - MAX_SHOWN} more</p>}
    </section>
  );
}

type View = NonNullable<PolicyPage["view"]>;

function WorkspaceGrant({ grant, page, onChange }: Props & { grant: View["grants"][number] }): VNode {
  const change = { action: "remove", entry: grant.id ?? grant.root } as const;
  const { save, problem, isBusy } = usePolicyEdit(page.profile, () => onChange(`No longer granted: ${grant.root}.`));
  return (
    <li>
      <p>
        Anything that stays in{" "}
        <code>
          <VisibleText text={grant.root} />
        </code>
        , jailed, without network
      </p>
      <p class="quiet small">
        {grant.by !== undefined && <VisibleText text={`by ${grant.by}`} />}
        {grant.atMs !== undefined && ` ${ago(grant.atMs, Date.now())}`} · used {grant.hits}×
        {!page.jailed && " · counts for nothing here: there’s no jail"}
      </p>
      {problem && <Notice kind="problem">{problem}</Notice>}
      <Button disabled={isBusy} aria-label={`Revoke: ${visible(grant.root)}`} onClick={() => save(change)}>
        Revoke
      </Button>
    </li>
  );
}

function Temporary({ one, onChange }: { one: View["temporary"][number]; onChange: Props["onChange"] }): VNode {
  const hub = useHub();
  const { problem, isBusy, mutate } = useMutation();
  const revoke = () =>
    mutate(async () => {
      await hub.api(okSchema, "DELETE /api/v1/grants/:id", { params: { id: one.id } });
      onChange(`No longer allowed: ${elide(one.text, MAX_CHARACTERS)}.`);
    });
  const where = one.sessionId === null ? "in every session" : `in session “${one.sessionId}”`;
  const left = countdown(one.expiresAtMs - nowMs.value);
  return (
    <li>
      <p>
        {one.kind === "effects" && "Anything that stays in "}
        <code>
          <VisibleText text={elide(one.text, MAX_CHARACTERS)} />
        </code>
        {one.kind === "once" && ", once, if it asks again"}
      </p>
      <p class="quiet small">
        <VisibleText text={[where, ...(one.by === undefined ? [] : [`by ${one.by}`])].join(" · ")} /> · {left} left ·
        used {one.hits}×
      </p>
      {problem && <Notice kind="problem">{problem}</Notice>}
      <Button disabled={isBusy} aria-label={`Revoke: ${visible(elide(one.text, 60))}`} onClick={revoke}>
        Revoke
      </Button>
    </li>
  );
}
