import { randomUUID } from "node:crypto";
import { type Json, newPlaceholder, type Placeholder } from "@countersign/receipts";
import type { EmittedForm, FrameRecord } from "@countersign/store";
import { dropReceipt, type Emission, liveReceipt, type Own, outcomeOf, ownOf } from "./receipts-of-frame.ts";

/** Forms that are remembered, of one subject and in all, and how long what they say may be; past it they are forgotten, or not made. */
const MAX_ALIKE = 16;
const MAX_FORMS = 1_000;
const LONGEST_SAID = 4_096;

function blank(kind: Placeholder["kind"], texts?: Placeholder["texts"]): Placeholder {
  return newPlaceholder(kind, randomUUID().replaceAll("-", ""), texts);
}

const BLANKS: Readonly<Record<keyof Own, Placeholder>> = {
  id: blank("receiptId", "ours"),
  actionId: blank("actionId", "ours"),
  at: blank("dateTime", "ours"),
  emittedAt: blank("text"),
  parametersHash: blank("sha256", "ours"),
  responseHash: blank("sha256", "ours"),
  idempotencyKey: blank("text"),
  correlationId: blank("text"),
  startedAt: blank("text"),
};

interface Form extends EmittedForm {
  /** What is filled in, in the order of the blanks. */
  readonly own: readonly (keyof Own)[];
  /** What it says besides. */
  readonly said: readonly Json[];
}

/** What frames put on record. An emitter says much the same with each: what doesn't change is made into a receipt once. */
export class FrameTemplates {
  /** By what they are about, the newest first. */
  readonly #forms = new Map<string, Form[]>();
  #count = 0;

  /** What was lost before the frame, where something was, and then what it says. */
  receiptsOf(emission: Emission): FrameRecord["receipts"] {
    const own = ownOf(emission);
    const form = this.#formOf(emission, own);
    const live = form ? { form, values: form.own.map((name) => own[name] as string) } : liveReceipt(emission, own);
    return emission.dropped > 0 ? [dropReceipt(emission), live] : [live];
  }

  /** Undefined: what it says won't be said again. */
  #formOf(emission: Emission, own: Own): Form | undefined {
    const { error, binding } = emission.frame;
    if (error || binding?.flow !== undefined || binding?.gap !== undefined) return undefined;
    const names = Object.keys(own) as (keyof Own)[];
    const said = saidBy(emission);
    const about = `${emission.attribution.chain}\0${emission.frame.session_id}`;
    const alike = this.#forms.get(about);
    const known = alike?.find((form) => isSame(form.own, names) && isSame(form.said, said));
    return known ?? this.#make(emission, { about, names, said });
  }

  #make(
    emission: Emission,
    { about, names, said }: { readonly about: string; readonly names: readonly (keyof Own)[]; said: readonly Json[] },
  ): Form | undefined {
    if (JSON.stringify(said).length > LONGEST_SAID) return undefined;
    const marks = Object.fromEntries(names.map((each) => [each, BLANKS[each].mark])) as unknown as Own;
    const form = { own: names, said, blanks: names.map((each) => BLANKS[each]), draft: liveReceipt(emission, marks) };
    if (this.#count >= MAX_FORMS) {
      this.#forms.clear();
      this.#count = 0;
    }
    const alike = [form, ...(this.#forms.get(about) ?? [])];
    this.#count += alike.length > MAX_ALIKE ? 0 : 1;
    this.#forms.set(about, alike.slice(0, MAX_ALIKE));
    return form;
  }
}

/** Everything that a live receipt says but what is its own. */
function saidBy({ frame, peer, attribution }: Emission): readonly Json[] {
  const { session_id, channel, tool, coverage, enforcement, agent_id, agent_type } = frame;
  const binding =
    frame.binding && typeof frame.binding.started_at === "string"
      ? { ...frame.binding, started_at: "" }
      : frame.binding;
  const { issuer_name, issuer_model, operator_id, operator_name } = frame;
  const by = [peer.pid, peer.uid, peer.gid, peer.exePath ?? null, issuer_name ?? null, issuer_model ?? null];
  const of = [operator_id ?? null, operator_name ?? null, agent_id ?? null, agent_type ?? null];
  const where = [
    attribution.chain,
    attribution.actionType,
    attribution.attestation,
    attribution.principal,
    session_id,
    channel,
  ];
  const what = [tool.name, tool.server ?? null, outcomeOf(frame).status, frame.decision];
  return [by, of, where, what, binding ?? null, coverage ?? null, enforcement ?? null];
}

/** Members in another order are something else: it costs a form, and nothing more. */
function isSame(one: Json, other: Json): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (isList(one) || isList(other))
    return (
      isList(one) &&
      isList(other) &&
      one.length === other.length &&
      one.every((each, at) => isSame(each, other[at] as Json))
    );
  const [names, others] = [Object.keys(one), Object.keys(other)];
  if (names.length !== others.length) return false;
  return names.every((name, at) => name === others[at] && isSame(one[name] as Json, other[name] as Json));
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
