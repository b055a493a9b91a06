export { Approvals } from "./approvals.ts";
export { createCard, redactClosedCard } from "./card.ts";
export { aboutRun, ExecQuestion } from "./exec-question.ts";
export { RunResolver } from "./resolve-run.ts";
export { assessedSubject, RestoredSubject, type Subject } from "./subject.ts";
