// Imported first, so that the style sheets of its parts override this one.
import "./view.css";
import { type FrozenEditView, type PolicyPage, policyPageSchema } from "@countersign/protocol/policy";
import { ExecApprovalResolvedAction, PolicyChangedAction } from "@countersign/protocol/proposals";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useHub, useQuery } from "../hub/index.ts";
import { goTo, hrefOf, route } from "../navigation/index.ts";
import { Button, DiffText, Empty, Notice, VisibleText } from "../ui/index.ts";
import { Entries } from "./entries.tsx";
import { Grants } from "./grants.tsx";
import { Layers } from "./layers.tsx";
import { NewlyAllowed } from "./newly-allowed.tsx";
import { Repositories } from "./repositories.tsx";
import { Settings } from "./settings.tsx";
import { TryCommand } from "./try-command.tsx";

/** The policy of a profile and directory, and edits of it, each previewed on past commands. */
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
  const [message, setMessage] = useState<string>();
  const [decidedBy, setDecidedBy] = useState<readonly string[]>([]);
  const changed = async (what: string) => {
    // Confirms the change once the page shows it.
    await reload();
    setMessage(what);
  };
  return (
    <>
      <PolicyBar page={page} />
      <div class="policy-message" role="status">
        {message}
      </div>
      <FrozenEdits frozen={page.frozen} />
      {page.problem !== undefined && (
        <Notice kind="problem">Every command is denied here, because the policy can’t be read. {page.problem}</Notice>
      )}
      {page.view !== null && (
        <div class="policy-columns">
          <div class="policy-main">
            <TryCommand page={page} loads={loads} onDecided={setDecidedBy} onChange={changed} />
            <Entries page={page} onChange={changed} marked={decidedBy} />
          </div>
          <div class="policy-side">
            <Settings page={page} onChange={changed} />
            <Grants page={page} onChange={changed} />
            <Repositories page={page} onChange={changed} />
            <Layers page={page} />
          </div>
        </div>
      )}
      {page.view === null && <Repositories page={page} onChange={changed} />}
    </>
  );
}

/** Answers may add temporary permissions, which change no policy file. */
const NEWS: ReadonlySet<string> = new Set([PolicyChangedAction, ExecApprovalResolvedAction]);

interface Place {
  readonly profile: string | undefined;
  readonly cwd: string | undefined;
}

interface LoadedPolicy {
  readonly page: PolicyPage | undefined;
  readonly problem: string | undefined;
  /** The number of reloads. */
  readonly loads: number;
  /** Reloads after a change made here. */
  reload(): Promise<void>;
}

/** Queries the effective policy; again on reconnection, on a change, and when the page is shown. */
function usePolicy({ profile, cwd }: Place): LoadedPolicy {
  const hub = useHub();
  const count = useRef(0);
  const look = async (signal: AbortSignal) => {
    const page = await hub.api(policyPageSchema, "GET /api/v1/policy", { query: { profile, cwd }, signal });
    count.current += 1;
    return { page, loads: count.current };
  };
  const about = JSON.stringify([profile, cwd]);
  const { answer, problem, again } = useQuery(about, look, { news: NEWS, whenSeen: true });
  return { page: answer?.page, loads: answer?.loads ?? 0, problem, reload: again };
}

/** Chooses the profile and the directory. */
function PolicyBar({ page }: { page: PolicyPage }): VNode {
  const [cwd, setCwd] = useState(page.cwd);
  useEffect(() => setCwd(page.cwd), [page.cwd]);
  const go = (profile: string, directory: string) => goTo(hrefOf("policy", [], { profile, cwd: directory }));
  const [own, builtIn] = [page.profiles.filter(isOwn), page.profiles.filter((one) => !isOwn(one))];
  return (
    <form
      class="policy-bar"
      onSubmit={(event) => {
        event.preventDefault();
        go(page.profile, cwd);
      }}
    >
      <label>
        Profile
        <select value={page.profile} onChange={(event) => go(event.currentTarget.value, page.cwd)}>
          <optgroup label="With a file">{own.map(option)}</optgroup>
          <optgroup label="Built in">{builtIn.map(option)}</optgroup>
        </select>
      </label>
      <label class="policy-place">
        As it applies in
        <input
          class="mono"
          list="policy-places"
          value={cwd}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => setCwd(event.currentTarget.value)}
          onChange={(event) => go(page.profile, event.currentTarget.value)}
        />
        <datalist id="policy-places">
          {page.places.map((place) => (
            <option key={place} value={place} />
          ))}
        </datalist>
      </label>
    </form>
  );
}

type Profile = PolicyPage["profiles"][number];

function isOwn({ id, own }: Profile): boolean {
  return own || id === "default";
}

function option({ id, frozen, problem }: Profile): VNode {
  const note = problem === undefined ? (frozen ? " (an edit is frozen)" : "") : " (can’t be read)";
  return (
    <option key={id} value={id}>
      {id + note}
    </option>
  );
}

/** Outside edits that would allow more. They have no effect until someone accepts them. */
function FrozenEdits({ frozen }: { frozen: readonly FrozenEditView[] }): VNode | null {
  if (frozen.length === 0) return null;
  return (
    <section class="policy-frozen" aria-labelledby="frozen-title">
      <h2 id="frozen-title">{frozen.length === 1 ? "An edit is frozen" : `${frozen.length} edits are frozen`}</h2>
      {frozen.map((edit) => (
        <article key={edit.about} class="frozen-edit">
          <p>
            <code>
              <VisibleText text={edit.file} />
            </code>{" "}
            was changed outside Countersign. What it tightens applies already; the rest needs your approval.
          </p>
          <NewlyAllowed widening={edit.widening} />
          <details open={frozen.length === 1}>
            <summary>Show the lines</summary>
            <DiffText diff={edit.diff} />
          </details>
          {edit.approvalId === undefined ? (
            <p class="quiet">This edit was rejected. It stays frozen until the file changes again.</p>
          ) : (
            <p>
              <a class="button main link-button" href={hrefOf("approval", [edit.approvalId])}>
                Review to accept
              </a>
            </p>
          )}
        </article>
      ))}
    </section>
  );
}
