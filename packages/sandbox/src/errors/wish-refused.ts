/** An isolated session is asked for with what can't be had: what isn't anybody's to give, what can't be where it is wanted, or more than there is now. */
export class WishRefused extends Error {
  readonly why: "outside" | "invalid" | "full";

  constructor(why: WishRefused["why"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "WishRefused";
    this.why = why;
  }
}
