const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A session that the agent didn't name has a UUID; its end tells it from the others. */
export function sessionName(id: string): string {
  return UUID.test(id) ? id.slice(-8) : id;
}
