/** What a parser found in program text. Everything but `problem` is for finding harm and proves nothing. */
export interface TextReading {
  /** Why the text isn't harmless. */
  readonly problem?: string;
  /** Shell commands in it. */
  readonly commands: readonly string[];
  /** Runs commands composed from its input. */
  readonly runsInput: boolean;
  readonly writes: readonly string[];
  readonly reads: readonly string[];
}
