/** As the recorder takes it. No character of it means something in a SAN, a URN, a path or a log. */
const SANDBOX_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const OUR_SAN = /^URI:urn:opensandbox:([A-Za-z0-9][A-Za-z0-9._-]{0,127})$/;

export function isSandboxId(text: string): boolean {
  return SANDBOX_ID.test(text);
}

export function sanOf(sandboxId: string): string {
  return `urn:opensandbox:${sandboxId}`;
}

/** Of Node's text for the extension. It must be the only name: with two, whose would it be? */
export function sandboxIdOfSan(subjectAltName: string | undefined): string | undefined {
  return OUR_SAN.exec(subjectAltName ?? "")?.[1];
}
