/** What a view is given. */
export interface ViewProps {
  /** Forgets this browser's token and key. */
  readonly signOut: (why?: string) => Promise<void>;
}
