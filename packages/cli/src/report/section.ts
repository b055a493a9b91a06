/** A report before it is text or a page. Every text in it is safe to print on one line; a page escapes it on top. */
export interface Section {
  readonly title: string;
  readonly blocks: readonly Block[];
}

export type Block =
  | { readonly kind: "facts"; readonly rows: readonly Fact[] }
  /** `numbers`: the columns that hold some. `long`: the one that holds sentences. */
  | {
      readonly kind: "table";
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
      readonly numbers: readonly number[];
      readonly long?: number;
    }
  | { readonly kind: "list"; readonly items: readonly string[] }
  | { readonly kind: "note"; readonly text: string };

/** What, how many, and of what that is the sum. */
type Fact = readonly [what: string, count: number, parts?: string];

export interface ReportSections {
  readonly title: string;
  readonly span: string;
  readonly verdict: {
    readonly tone: "good" | "doubtful" | "bad";
    readonly words: string;
    readonly details: readonly string[];
  };
  readonly sections: readonly Section[];
  readonly madeAt: string;
}
