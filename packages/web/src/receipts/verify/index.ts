export { VerifyPanel } from "./panel.tsx";
export { verifyRunOf } from "./verify-run.ts";
