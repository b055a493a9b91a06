/** What an agent is about to do, whatever it calls its tools. Paths are as it gave them. */
export type HookTool =
  | {
      readonly kind: "shell";
      readonly command: string;
      /** Where it says that this command runs, if elsewhere than it stands. */
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
  /** Of the agent's own head: lists, plans, questions to its user. */
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

/** One file of what a tool changes. */
export type FileChange =
  | { readonly kind: "write"; readonly path: string; readonly content: string }
  | { readonly kind: "edit"; readonly path: string; readonly edits: readonly TextEdit[] }
  | { readonly kind: "remove"; readonly path: string }
  | { readonly kind: "move"; readonly path: string; readonly to: string; readonly text: string }
  /** In a form that we don't apply ourselves: what changes is told as it came. */
  | { readonly kind: "change"; readonly path: string; readonly text: string };

export interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
  readonly all: boolean;
}
