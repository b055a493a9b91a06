import { explainUnverified, isRedacted, jailWords } from "@countersign/protocol/describe";
import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import { BUILT_JAILS, type BuiltJail } from "@countersign/vocabulary";
import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import { elide, sessionName } from "../text/index.ts";
import { Button, VisibleText } from "../ui/index.ts";

type Card = ExecApprovalRequestPayload;

/** The agent that asks, and the directory of the command. */
export function CardOrigin({ card }: { card: Card }): VNode {
  const { agentName, agentId, cwd, branch, subject } = card;
  if (subject === "policy") return <p class="origin">A change of the policy, made outside of Countersign</p>;
  return (
    <div class="origin">
      <p>
        <strong>
          <VisibleText text={agentName} />
        </strong>{" "}
        · session “<VisibleText text={sessionName(agentId)} />”
      </p>
      {cwd !== undefined && (
        <p>
          <code>
            <VisibleText text={cwd} />
          </code>
          {branch !== undefined && (
            <span class="quiet">
              {" "}
              (branch <VisibleText text={branch} />)
            </span>
          )}
        </p>
      )}
    </div>
  );
}

/** The jail of the command, with a choice of others; or that it has none, and why. */
export function JailLine({
  card,
  chosen,
  onChoose,
}: {
  card: Card;
  chosen: BuiltJail | undefined;
  /** Absent if the jail can't be chosen. */
  onChoose?: ((jail: BuiltJail | undefined) => void) | undefined;
}): VNode {
  const [isChanging, setChanging] = useState(false);
  if (card.enforcement !== "jail") {
    const who = card.runBy === "agent" ? <VisibleText text={card.agentName} /> : "the hub";
    return (
      <Fact name="Jail">
        <strong class="unjailed">none</strong>, {who} runs this {card.runBy === "agent" ? "itself" : "without one"}
        {card.enforcement === "enforced" && ", and can’t be bypassed"}
        {card.enforcement === "advisory" && ", and can be bypassed"}
      </Fact>
    );
  }
  return (
    <Fact name="Jail">
      {chosen === undefined ? (
        <VisibleText text={jailWords(card).replace(/^jail: /, "")} />
      ) : (
        <strong>{chosen}, chosen by you</strong>
      )}{" "}
      {onChoose && !isChanging && (
        <Button kind="plain" onClick={() => setChanging(true)}>
          change
        </Button>
      )}
      {onChoose && isChanging && (
        <label class="jail-choice">
          <span class="heard">Run it in this jail: </span>
          <select
            value={chosen ?? card.jail}
            onChange={({ currentTarget: { value } }) =>
              onChoose(value === card.jail ? undefined : BUILT_JAILS.find((jail) => jail === value))
            }
          >
            {BUILT_JAILS.map((jail) => (
              <option key={jail} value={jail}>
                {jail === card.jail ? `${jail} (as predicted)` : jail}
              </option>
            ))}
          </select>
        </label>
      )}
    </Fact>
  );
}

/** The rest that decides what would run: environment, code, limits that aren't enforced. */
export function OtherFacts({ card, onReveal }: { card: Card; onReveal?: (() => void) | undefined }): VNode {
  const { env, code = [], opens = [], fails = [], unheld = [], reason } = card;
  const unchecked = card.subject === "policy" ? undefined : explainUnverified(card);
  return (
    <>
      {reason !== undefined && (
        <Fact name="Agent says (its claim)">
          <Claim text={reason} />
        </Fact>
      )}
      {Object.entries(env).length > 0 && (
        <Fact name="With">
          {Object.entries(env).map(([name, value]) => (
            <code key={name} class="setting">
              <VisibleText text={`${name}=${value}`} />
            </code>
          ))}
        </Fact>
      )}
      {code.map(({ path, sha256 }) => (
        <Fact key={path} name="Runs the code in">
          <code>
            <VisibleText text={path} />
          </code>{" "}
          <span class="quiet">sha256 {sha256.slice(0, 12)}</span>
        </Fact>
      ))}
      {opens.map((file) => (
        <Fact key={file} name="Opens for writing, alone">
          <code>
            <VisibleText text={file} />
          </code>
        </Fact>
      ))}
      {fails.map((write) => (
        <Fact key={write} name="Will fail">
          <VisibleText text={write} />
        </Fact>
      ))}
      {unheld.map((limit) => (
        <Fact key={limit} name="Limit not enforced in full">
          <VisibleText text={limit} />
        </Fact>
      ))}
      {(unchecked !== undefined || isRedacted(card)) && (
        <Fact name="Hidden">
          {unchecked ?? "Something that looks like a secret isn’t shown."}{" "}
          {onReveal && isRedacted(card) && (
            <Button kind="plain" onClick={onReveal}>
              Reveal (goes on record)
            </Button>
          )}
        </Fact>
      )}
    </>
  );
}

const SHORT_CLAIM = 400;

/** Folds a long claim, so that it can't push our own facts off the screen. */
function Claim({ text }: { text: string }): VNode {
  if (text.length <= SHORT_CLAIM)
    return (
      <q>
        <VisibleText text={text} />
      </q>
    );
  return (
    <details>
      <summary>
        <VisibleText text={elide(text, SHORT_CLAIM / 4)} />
      </summary>
      <q>
        <VisibleText text={text} lines />
      </q>
    </details>
  );
}

export function Fact({ name, children }: { name: string; children: ComponentChildren }): VNode {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
