/** What an agent is about to do, in the same form for all agents. Paths are as the agent gave them. */
export type HookTool =
  | {
      readonly kind: "shell";
      readonly command: string;
      /** Set if the command runs in another directory than the agent's. */
      readonly cwd?: string | undefined;
      readonly reason?: string | undefined;
      readonly timeoutMs?: number | undefined;
    }
  | { readonly kind: "files"; readonly changes: readonly FileChange[] }
  | { readonly kind: "look"; readonly look: Look }
  | {
      readonly kind: "mcp";
      readonly server: string;
      readonly tool: string;
      readonly arguments: Readonly<Record<string, unknown>>;
    }
  /** Internal to the agent, such as lists, plans and questions to its user. */
  | { readonly kind: "inner" }
  | { readonly kind: "unknown" };

/** What is read. */
export type Look =
  | {
      readonly kind: "file";
      readonly path: string;
      readonly startLine?: number | undefined;
      readonly endLine?: number | undefined;
    }
  | { readonly kind: "directory"; readonly path: string }
  | { readonly kind: "search"; readonly path: string; readonly pattern: string }
  | { readonly kind: "names"; readonly path: string; readonly pattern: string };

/** A change of one file. */
export type FileChange =
  | { readonly kind: "write"; readonly path: string; readonly content: string }
  | { readonly kind: "edit"; readonly path: string; readonly edits: readonly TextEdit[] }
  | { readonly kind: "remove"; readonly path: string }
  | { readonly kind: "move"; readonly path: string; readonly to: string; readonly text: string }
  /** A change in a form that isn't applied here; `text` shows it as it came. */
  | { readonly kind: "change"; readonly path: string; readonly text: string };

export interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
  readonly all: boolean;
}
