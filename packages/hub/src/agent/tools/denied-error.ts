/** Seed 003's: the message is the reason that was given, if any. */
export class DeniedError extends Error {
  constructor(reason?: string) {
    super(reason ?? "");
    this.name = "DeniedError";
  }
}
