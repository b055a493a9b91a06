/** Asks once for each key. Made anew for each piece of work that wants the machine to stand still while it looks. */
export function remember<T>(ask: (key: string) => T): (key: string) => T {
  const known = new Map<string, { readonly answer: T }>();
  return (key) => {
    const found = known.get(key) ?? { answer: ask(key) };
    known.set(key, found);
    return found.answer;
  };
}
