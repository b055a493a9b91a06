export { ApprovalCard } from "./approval-card.tsx";
export { InlineApproval } from "./inline-approval.tsx";
