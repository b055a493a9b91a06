interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

/**
 * The page's policy lets no text become a script's address. These are the exceptions, of our own making and of this origin: workers.
 * (A browser without trusted types takes the address as it is.)
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
