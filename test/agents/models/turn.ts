/** What the model does next: it calls a tool of the agent, or it says something and is done. */
export type Turn =
  | { readonly kind: "call"; readonly id: string; readonly call: ToolCall }
  | { readonly kind: "say"; readonly text: string };

/** What the model calls next, where that depends on what came back so far. */
export type ScriptedCall = ToolCall | ((results: readonly string[]) => ToolCall);

export interface ToolCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What a request to a model says, whatever wire it came by. */
export interface Conversation {
  /** Names of the tools that the agent offers; without any the agent only wants some words (a title, a topic). */
  readonly tools: readonly string[];
  /** What the agent gave back for each call so far, in order. */
  readonly results: readonly string[];
}

/** A wire that an agent talks to its model by. */
export interface Wire {
  readonly matches: (path: string) => boolean;
  readonly read: (body: Record<string, unknown>) => Conversation;
  /** The whole body of the answer, and its type. */
  readonly write: (turn: Turn, path: string) => { readonly type: string; readonly body: string };
}
