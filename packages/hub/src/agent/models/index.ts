export { demoModel } from "./demo-model.ts";
export {
  addUsage,
  type Model,
  type ModelCall,
  ModelError,
  type ModelPart,
  type ModelRequest,
  NO_USAGE,
  type PromptEntry,
} from "./model.ts";
