export { APPROVAL_ROUTES } from "./approvals.ts";
export { CONNECT_ROUTES } from "./connect.ts";
export { NOTIFICATION_ROUTES } from "./notifications.ts";
export { PAST_ROUTES } from "./past.ts";
export { POLICY_ROUTES } from "./policy.ts";
export { RECEIPT_ROUTES } from "./receipts.ts";
export { SANDBOX_ROUTES } from "./sandboxes.ts";
