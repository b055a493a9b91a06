export { ApprovalCard } from "./approval-card.tsx";
