export { execApproval, keptOf } from "./approval-record.ts";
export { Approvals } from "./approvals.ts";
export { aboutRun, ExecQuestion, type ExecQuestionRooms } from "./exec-question.ts";
export { reveal } from "./reveal.ts";
export { judgedSubject, RestoredSubject, type Subject } from "./subject.ts";
