export { approvalRoutes } from "./approvals.ts";
export { connectRoutes } from "./connect.ts";
export { historyRoutes } from "./history.ts";
export { notificationRoutes } from "./notifications.ts";
export { policyRoutes } from "./policy.ts";
export { receiptRoutes } from "./receipts.ts";
export { sandboxRoutes } from "./sandboxes.ts";
