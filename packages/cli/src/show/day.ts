/** The date here, as people sort it. */
export function day(atMs: number): string {
  return new Date(atMs).toLocaleDateString("sv-SE");
}
