/** What a reader found in program text. All but `problem` is for finding harm: it proves nothing. */
export interface TextReading {
  /** Why the text isn't harmless. */
  readonly problem?: string;
  /** Shell commands that it runs. */
  readonly commands: readonly string[];
  /** It runs commands that it makes from what it reads. */
  readonly runsInput: boolean;
  readonly writes: readonly string[];
  readonly reads: readonly string[];
}
