import type { AnswerResult } from "@countersign/protocol/proposals";
import type { Write } from "@countersign/store";
import type { Settlement } from "../policies/index.ts";
import type { Assessment } from "../proposals/index.ts";
import type { Answerer } from "../record/index.ts";
import { countAnswer } from "./answer-counts.ts";
import type { Denials } from "./denials.ts";
import type { AnswerSaver } from "./scopes.ts";

type Answered = Extract<Settlement, { readonly how: "answered" }> & { readonly approvalId: string };
type Added = Partial<Pick<AnswerResult, "saved" | "note">>;

/** What a person's answer means beyond this one proposal. */
interface AnswerEffects {
  readonly answerer: Omit<Answerer, "approvalId">;
  /** Committed together with the answer. */
  readonly writes: readonly Write[];
  /** Called once the answer is durable. In force when it returns; what it resolves to is told to the person. */
  done(): Promise<Added>;
}

export function answerEffects(
  assessment: Assessment,
  answered: Answered,
  { denials, saver, nowMs }: { readonly denials: Denials; readonly saver: AnswerSaver; readonly nowMs: number },
): AnswerEffects {
  const { answer, by, assurance, shared } = answered;
  const facts = shared === undefined ? {} : { card: shared.card, count: shared.count };
  const answerer = { person: by.name, assurance, facts };
  const counting = countAnswer(assessment, answer.decision === "deny" ? "deny" : "allow", nowMs);
  // What it means beyond each is said once, with the one that it was given on.
  if (shared !== undefined && shared.card !== answered.approvalId)
    return { answerer, writes: counting, done: async () => ({}) };
  if (answer.decision === "deny") return { answerer, ...afterDenial(assessment, answered, { denials, counting }) };
  const { decision, scope, reason: why } = answer;
  const lasting = { person: by.name, assurance: assurance.level, scope, why };
  const saving = decision === "allow-always" ? saver.plan(assessment, lasting) : undefined;
  return {
    answerer: { ...answerer, facts: { ...facts, ...saving?.facts } },
    writes: [...counting, ...denials.allowWrites(assessment), ...(saving?.writes ?? [])],
    done: () => {
      denials.allowed(assessment);
      return saving?.save() ?? Promise.resolve({});
    },
  };
}

function afterDenial(
  assessment: Assessment,
  { approvalId, answer, by }: Answered,
  { denials, counting }: { readonly denials: Denials; readonly counting: readonly Write[] },
): Pick<AnswerEffects, "writes" | "done"> {
  const denial = denials.record(assessment, { approvalId, by: by.name, reason: answer.reason });
  return {
    writes: [...counting, { op: "insert-denial", denial }],
    done: async () => {
      if (!denials.denied(denial)) return {};
      await denials.recordPause(denial.sessionId);
      const session = JSON.stringify(denial.sessionId);
      return { note: `Session ${session} is paused after so many denials in a row, until somebody resumes it` };
    },
  };
}
