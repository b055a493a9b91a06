export { listSandboxes, type SandboxReader, tellSandbox } from "./sandbox-story.ts";
export { tellStory } from "./tell-story.ts";
