import type { AgentKind } from "./agent-room.ts";

export const gemini: AgentKind = {
  name: "gemini",
  program: "gemini",
  // Without `yolo` it doesn't offer its shell where nobody can be asked.
  args: () => ["-p", "do it", "--approval-mode", "yolo", "-m", "gemini-2.5-flash"],
  env: ({ model }) => ({ GEMINI_API_KEY: "local", GOOGLE_GEMINI_BASE_URL: model }),
  settings: ({ workspace }) => ({
    ".gemini/settings.json": JSON.stringify({
      security: { auth: { selectedType: "gemini-api-key" } },
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
    }),
    ".gemini/trustedFolders.json": JSON.stringify({ [workspace]: "TRUST_FOLDER" }),
  }),
};
