export type Refusal = "host" | "origin";

/**
 * Where we are served: each Host with the one Origin that a page of ours has there. Host is matched so that another name
 * that leads here (DNS rebinding) gets nothing; Origin with scheme and port, since another port of localhost, or the same
 * name without TLS, is somebody else. An absent Origin means: not a browser.
 */
export class AllowedOrigins {
  readonly #byHost = new Map<string, string>();

  /** `https://hub.example`, `http://127.0.0.1:18789`. */
  add(origin: string): void {
    const url = new URL(origin);
    this.#byHost.set(url.host, url.origin);
  }

  refuse({ host = "", origin }: { host?: string | undefined; origin?: string | undefined }): Refusal | undefined {
    const ours = this.#byHost.get(host);
    if (ours === undefined) return "host";
    return origin === undefined || origin === ours ? undefined : "origin";
  }
}
