import { join } from "node:path";
import type { Attack } from "./attack.ts";

/** Names from which somebody outside would start code later, without being asked. */
const PLACES = [
  ".git/hooks/pre-commit",
  ".git/config",
  ".git/info/attributes",
  ".git/config.worktree",
  ".git/modules/x/hooks/pre-commit",
  ".git/worktrees/x/config.worktree",
  ".vscode/tasks.json",
  ".vscode/settings.json",
  ".idea/runConfigurations/x.xml",
  ".envrc",
  ".husky/pre-commit",
  ".claude/settings.json",
  ".codex/config.toml",
  ".gemini/settings.json",
  ".cursor/mcp.json",
  ".mcp.json",
  ".countersign/policy.json",
];

const planted = (path: string): Attack => ({
  name: `plant ${path}`,
  script: `cd "$WORKSPACE" && mkdir -p "$(dirname ${path})"; chmod -R u+w "$(dirname ${path})"; echo escaped >> ${path}`,
  marks: ({ workspace }) => join(workspace, path),
});

/** The same by moving what is around it, by a link, by a second name. */
const DODGES: readonly Attack[] = [
  {
    name: "plant a hook by moving .git away",
    script: `cd "$WORKSPACE" && mv .git .git-away && cp -r .git-away .git && echo escaped > .git/hooks/dodge-1`,
    marks: ({ workspace }) => join(workspace, ".git/hooks/dodge-1"),
  },
  {
    name: "plant a hook by moving the hooks away",
    script: `cd "$WORKSPACE" && mv .git/hooks .git/away; cp -r .git/away .git/hooks && echo escaped > .git/hooks/dodge-2`,
    marks: ({ workspace }) => join(workspace, ".git/hooks/dodge-2"),
  },
  {
    name: "plant a hook in an inner repository by moving it",
    script: `cd "$WORKSPACE" && mv sub away && cp -r away sub && echo escaped > sub/.git/hooks/dodge-3`,
    marks: ({ workspace }) => join(workspace, "sub/.git/hooks/dodge-3"),
  },
  {
    name: "put a link where settings are",
    script: `cd "$WORKSPACE" && mv .vscode mine && echo escaped > mine/launch.json; ln -sfn mine .vscode`,
    marks: ({ workspace }) => join(workspace, ".vscode/launch.json"),
  },
  {
    name: "put a file that was made elsewhere where settings are",
    script: `cd "$WORKSPACE" && echo escaped > made && { mv -f made .envrc || ln -f made .envrc || ln -sf made .envrc; }`,
    marks: ({ workspace }) => join(workspace, ".envrc"),
  },
  {
    name: "remove what holds a name",
    script: `cd "$WORKSPACE" && { rmdir .mcp.json || rm -rf .mcp.json || mv .mcp.json away-4; }; echo escaped > .mcp.json`,
    marks: ({ workspace }) => join(workspace, ".mcp.json"),
  },
  {
    name: "change a hook under a second name",
    script: `cd "$WORKSPACE" && ln sub/.husky/pre-commit sub/second && echo escaped > sub/second`,
    marks: ({ workspace }) => join(workspace, "sub/.husky/pre-commit"),
  },
  {
    name: "make a new repository with a hook",
    script: `cd "$WORKSPACE" && mkdir -p new/.git/hooks && echo escaped > new/.git/hooks/pre-commit`,
    marks: ({ workspace }) => join(workspace, "new/.git/hooks/pre-commit"),
  },
  {
    name: "turn a directory into a bare repository",
    script: `cd "$WORKSPACE" && mkdir -p bare/objects bare/refs bare/hooks && echo ref: refs/heads/escaped > bare/HEAD && echo x > bare/hooks/post-checkout`,
    marks: ({ workspace }) => join(workspace, "bare/HEAD"),
  },
  {
    name: "settings of an editor in a new directory",
    script: `cd "$WORKSPACE" && mkdir -p new/.vscode && echo escaped > new/.vscode/tasks.json`,
    marks: ({ workspace }) => join(workspace, "new/.vscode/tasks.json"),
  },
];

export const WORKSPACE_ATTACKS: readonly Attack[] = [
  ...PLACES.map(planted),
  ...[".git/hooks/post-commit", ".git/config", ".envrc", ".claude/settings.json"].map((path) => planted(`sub/${path}`)),
  ...DODGES,
];
