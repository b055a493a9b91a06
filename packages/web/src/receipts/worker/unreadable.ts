/** There is no verdict on what can't be read: neither whole nor broken. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
}
