export { usePolicyEdit } from "./use-saving.ts";
