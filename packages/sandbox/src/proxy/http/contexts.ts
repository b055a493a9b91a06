const MOST_CONTEXTS = 10_000;

/** In which language a context runs what it is given: told by execd when it makes or lists one, and kept here. */
export class Contexts {
  readonly #languages = new Map<string, string>();

  languageOf(id: string): string | undefined {
    return this.#languages.get(id);
  }

  /** From an answer of `/code/context` or `/code/contexts`: one, or a list of them. */
  learn(answer: unknown): void {
    for (const context of Array.isArray(answer) ? answer : [answer]) {
      const { id, language } = (context ?? {}) as { readonly id?: unknown; readonly language?: unknown };
      if (typeof id !== "string" || typeof language !== "string" || id === "" || language === "") continue;
      this.#languages.set(id, language);
      const oldest = this.#languages.keys().next().value;
      if (this.#languages.size > MOST_CONTEXTS && oldest !== undefined) this.#languages.delete(oldest);
    }
  }
}
