interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

/**
 * The only policy for Trusted Types: the addresses of workers, on this origin. The page's CSP forbids any other text as a script's address. A
 * browser without Trusted Types uses the address unchecked.
 */
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy("countersign", {
  createScriptURL(address) {
    if (new URL(address, location.href).origin !== location.origin) throw new TypeError("Not an address of this page");
    return address;
  },
});

export function trustedUrl(url: URL | string): string {
  return policy?.createScriptURL(`${url}`) ?? `${url}`;
}
