import { randomUUID } from "node:crypto";
import { type Blank, newBlank } from "@countersign/receipts";
import type { EmittedForm, FrameRecord } from "../ledger/frame-record.ts";
import { dropReceipt, type Emission, liveReceipt, type Own, outcomeOf, ownOf } from "./receipts-of-frame.ts";

/** Forms that are remembered, and how long what they are known by may be; past it they are forgotten, or not made. */
const MAX_FORMS = 1_000;
const LONGEST_NAME = 4_096;

function blank(kind: Blank["kind"]): Blank {
  return newBlank(kind, randomUUID().replaceAll("-", ""));
}

const BLANKS: Readonly<Record<keyof Own, Blank>> = {
  id: blank("receiptId"),
  actionId: blank("actionId"),
  at: blank("dateTime"),
  emittedAt: blank("text"),
  parametersHash: blank("sha256"),
  responseHash: blank("sha256"),
  idempotencyKey: blank("text"),
  correlationId: blank("text"),
};

interface Form extends EmittedForm {
  /** What is filled in, in the order of the blanks. */
  readonly own: readonly (keyof Own)[];
}

/** What frames put on record. An emitter says much the same with each: what doesn't change is made into a receipt once. */
export class FrameForms {
  readonly #forms = new Map<string, Form>();

  /** What was lost before the frame, where something was, and then what it says. */
  receiptsOf(emission: Emission): FrameRecord["receipts"] {
    const own = ownOf(emission);
    const form = this.#formOf(emission, own);
    const live = form ? { form, values: form.own.map((name) => own[name] as string) } : liveReceipt(emission, own);
    return emission.dropped > 0 ? [dropReceipt(emission), live] : [live];
  }

  /** Undefined: what it says won't be said again. */
  #formOf(emission: Emission, own: Own): Form | undefined {
    if (emission.frame.error) return undefined;
    const names = Object.keys(own) as (keyof Own)[];
    const name = nameOf(emission, names);
    if (name.length > LONGEST_NAME) return undefined;
    const known = this.#forms.get(name);
    if (known) return known;
    const marks = Object.fromEntries(names.map((each) => [each, BLANKS[each].mark])) as unknown as Own;
    const form = { own: names, blanks: names.map((each) => BLANKS[each]), draft: liveReceipt(emission, marks) };
    if (this.#forms.size >= MAX_FORMS) this.#forms.clear();
    this.#forms.set(name, form);
    return form;
  }
}

/** Everything that a live receipt says but what is its own. */
function nameOf({ frame, peer, place }: Emission, own: readonly (keyof Own)[]): string {
  const { session_id, channel, tool, binding, coverage, agent_id, agent_type } = frame;
  const { issuer_name, issuer_model, operator_id, operator_name } = frame;
  return JSON.stringify([
    ...[own.join(), place.chain, place.actionType, place.attestation, place.principal],
    ...[peer.pid, peer.uid, peer.gid, peer.exePath, outcomeOf(frame).status],
    ...[session_id, channel, tool.name, tool.server, agent_id, agent_type],
    ...[issuer_name, issuer_model, operator_id, operator_name, binding, coverage],
  ]);
}
