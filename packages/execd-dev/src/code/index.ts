export { codeRoutes } from "./code-routes.ts";
export { Kernels } from "./kernels.ts";
