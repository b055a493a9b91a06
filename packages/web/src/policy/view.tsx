// Before those of its parts, which may say otherwise.
import "./view.css";
import type { PolicyPage } from "@countersign/protocol/policy";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { route } from "../navigation/index.ts";
import { Button, Empty, Notice } from "../ui/index.ts";
import { Entries } from "./entries.tsx";
import { ForAWhile } from "./for-a-while.tsx";
import { FrozenEdits } from "./frozen-edits.tsx";
import { Layers } from "./layers.tsx";
import { PolicyBar } from "./policy-bar.tsx";
import { Repositories } from "./repositories.tsx";
import { Settings } from "./settings.tsx";
import { TryCommand } from "./try-command.tsx";
import { type LoadedPolicy, usePolicy } from "./use-policy.ts";

/** The policy: what applies where, and changes of it, each tried on the past before it is made. */
export default function PolicyView(): VNode {
  const { query } = route.value;
  const place = { profile: query.get("profile") ?? undefined, cwd: query.get("cwd") ?? undefined };
  const policy = usePolicy(place);
  const { page, problem, reload } = policy;
  return (
    <div class="policy">
      <h1 class="heard">Policy</h1>
      {problem !== undefined && (
        <Notice kind="problem">
          {problem} <Button onClick={() => reload()}>Look again</Button>
        </Notice>
      )}
      {page === undefined ? (
        problem === undefined && <Empty title="Looking it up…" />
      ) : (
        <Loaded {...policy} page={page} />
      )}
    </div>
  );
}

function Loaded({ page, loads, reload }: LoadedPolicy & { page: PolicyPage }): VNode {
  const [told, setTold] = useState<string>();
  const [decidedBy, setDecidedBy] = useState<readonly string[]>([]);
  const changed = async (what: string) => {
    // Told as done once what is shown has it, too.
    await reload();
    setTold(what);
  };
  return (
    <>
      <PolicyBar page={page} />
      <div class="policy-told" role="status">
        {told}
      </div>
      <FrozenEdits frozen={page.frozen} />
      {page.problem !== undefined && (
        <Notice kind="problem">Everything is denied here, because the policy can’t be read. {page.problem}</Notice>
      )}
      {page.view !== null && (
        <div class="policy-columns">
          <div class="policy-main">
            <TryCommand page={page} loads={loads} onDecided={setDecidedBy} onChange={changed} />
            <Entries page={page} onChange={changed} marked={decidedBy} />
          </div>
          <div class="policy-side">
            <Settings page={page} onChange={changed} />
            <ForAWhile page={page} onChange={changed} />
            <Repositories page={page} onChange={changed} />
            <Layers page={page} />
          </div>
        </div>
      )}
      {page.view === null && <Repositories page={page} onChange={changed} />}
    </>
  );
}
