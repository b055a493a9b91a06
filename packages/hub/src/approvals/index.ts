export { Approvals } from "./approvals.ts";
export { cardRecord, redactClosedCard } from "./card.ts";
export { aboutRun, ExecQuestion } from "./exec-question.ts";
export { RunResolver } from "./resolve-run.ts";
export { assessedSubject, RestoredSubject, type Subject } from "./subject.ts";
