export { SandboxList } from "./sandbox-list.tsx";
export { SandboxPage } from "./sandbox-page.tsx";
