import type { ExecApprovalRequestPayload, ScopeOffer } from "@countersign/protocol/proposals";
import type { VNode } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { useHub, useQuery } from "../hub/index.ts";
import { Button, CodeWords, HoldButton } from "../ui/index.ts";
import { HighestRisk } from "./highest-risk.tsx";
import { ScopePreview, useScopePreview } from "./scope-preview.tsx";
import "./scope-picker.css";

const EXTENTS: readonly (readonly [string, string])[] = [
  ["session", "this session"],
  ["60m", "in this workspace, 1 hour"],
  ["1440m", "in this workspace, 1 day"],
  ["43200m", "in this workspace, 30 days"],
  ["directory", "in this directory"],
  ["repository", "in this repository"],
  ["forever", "everywhere, for ever (broad)"],
];

interface Props {
  card: ExecApprovalRequestPayload;
  onAllow(scope: string): void;
  onCancel(): void;
  locked: string | undefined;
}

/** An offered scope, and the person's edits of it. */
interface Chosen {
  readonly offer: ScopeOffer;
  readonly match: string;
  readonly extent: string;
}

/**
 * Offers the scopes for allowing a command more than once, the narrowest first and none preselected. Each shows what would be saved and what
 * it would have let through.
 */
export default function ScopePicker({ card, onAllow, onCancel, locked }: Props): VNode {
  const hub = useHub();
  const { approvalId } = card;
  const offered = useQuery(approvalId, () => hub.request("listScopes", { approvalId }));
  const offers = offered.answer?.scopes;
  const [chosen, setChosen] = useState<Chosen>();
  const group = useId();
  const scope = chosen && `${chosen.match}@${chosen.extent}`;
  const trial = useScopePreview(approvalId, scope);
  const isReady = trial?.kind === "saves" && locked === undefined;
  const allow = () => {
    if (isReady && scope !== undefined) onAllow(scope);
  };
  const first = useRef<HTMLInputElement>(null);
  const isThere = offers !== undefined && offers.length > 0;
  useEffect(() => first.current?.focus(), [isThere]);
  return (
    <fieldset class="scopes" aria-label="Allow more than once">
      {offered.problem !== undefined && <p role="alert">{offered.problem}</p>}
      {offers?.length === 0 && <p>It can only be allowed once.</p>}
      <ul>
        {offers?.map((offer, n) => (
          <li key={offer.scope}>
            <label class="scope-offer">
              <input
                type="radio"
                name={group}
                ref={n === 0 ? first : null}
                checked={chosen?.offer.scope === offer.scope}
                onChange={() => setChosen({ offer, ...partsOf(offer.scope) })}
              />
              <span>
                <CodeWords text={offer.words} />
              </span>
            </label>
            {chosen !== undefined && chosen.offer.scope === offer.scope && (
              <div class="scope-chosen">
                <EntryEditor chosen={chosen} onChange={setChosen} />
                <ScopePreview trial={trial} isEdited={scope !== offer.scope} />
              </div>
            )}
          </li>
        ))}
      </ul>
      <HighestRisk card={card} />
      <div class="bar-row">
        <Button onClick={onCancel}>Back</Button>
        {card.riskLevel === "dangerous" ? (
          <HoldButton onHeld={allow} disabled={!isReady}>
            Hold to allow and save
          </HoldButton>
        ) : (
          <Button kind="main" aria-disabled={!isReady} onClick={allow}>
            Allow and save
          </Button>
        )}
      </div>
      {locked && <p class="locked">{locked}</p>}
    </fieldset>
  );
}

/** Splits a scope at its last `@`; the extent follows it. */
function partsOf(scope: string): Pick<Chosen, "match" | "extent"> {
  const at = scope.lastIndexOf("@");
  return { match: scope.slice(0, at), extent: scope.slice(at + 1) };
}

const PATTERN = "pattern:";

/** The entry that would be saved, and its extent. Typed text becomes a pattern, which is tried before it can be saved. */
function EntryEditor({ chosen, onChange }: { chosen: Chosen; onChange(chosen: Chosen): void }): VNode {
  const { offer, match, extent } = chosen;
  const isPattern = match.startsWith(PATTERN);
  const fixed = isPattern ? undefined : whyFixed(offer, match);
  const why = useId();
  const extents = EXTENTS.some(([value]) => value === extent) ? EXTENTS : [[extent, extent] as const, ...EXTENTS];
  return (
    <div class="entry">
      <label>
        <span class="quiet small">Entry</span>
        <input
          class="line mono"
          value={isPattern ? match.slice(PATTERN.length) : offer.saves.join("; ")}
          readOnly={fixed !== undefined}
          aria-describedby={fixed === undefined ? undefined : why}
          spellcheck={false}
          autoCapitalize="off"
          autoComplete="off"
          onInput={({ currentTarget }) => onChange({ ...chosen, match: PATTERN + currentTarget.value })}
        />
      </label>
      <label>
        <span class="quiet small">Reach</span>
        <select
          class="line"
          value={extent}
          onChange={({ currentTarget }) => onChange({ ...chosen, extent: currentTarget.value })}
        >
          {extents.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </label>
      {fixed !== undefined && (
        <p id={why} class="quiet small">
          {fixed}
        </p>
      )}
    </div>
  );
}

/** An answer carries one pattern: a grant has none, and several entries have no single one. */
function whyFixed({ saves }: ScopeOffer, match: string): string | undefined {
  if (match === "effects") return "It depends on what commands do, and has no pattern to edit.";
  if (saves.length === 1) return undefined;
  return `${saves.length} entries are saved, one for each command in it, and can’t be edited here: an answer carries one pattern. Others can be written under Policy.`;
}
