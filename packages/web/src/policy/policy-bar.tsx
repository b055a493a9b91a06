import type { PolicyPage } from "@countersign/protocol/policy";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { goTo, hrefOf } from "../navigation/index.ts";

/** Whose policy, and as it applies where. */
export function PolicyBar({ page }: { page: PolicyPage }): VNode {
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
