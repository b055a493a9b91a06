import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { join, resolve } from "node:path";
import { syncDirectory, writeAtomically } from "../disk/index.ts";
import { writeBundle } from "./bundle.ts";
import { CaError } from "./ca-error.ts";
import { type Issued, IssuedCertificates } from "./issued.ts";
import { withLock } from "./lock.ts";
import type { SigningCa } from "./mint.ts";
import { isSandboxId } from "./sandbox-id.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const CA_MS = 3_650 * DAY_MS;
/** A sandbox whose clock is slow must not find it not yet valid. */
const BACKDATED_MS = 5 * MINUTE_MS;
/** Short-lived: what leaks from a sandbox ends by itself. */
const LONGEST_SANDBOX_MS = 31 * DAY_MS;
const MAX_HOSTS = 16;
const HOST =
  /^(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;

export interface IssueOptions {
  readonly out: string;
  readonly validMs: number;
  /** Another for one that is still good, over its file. The old one stays good until it ends: who uses it has time to change. */
  readonly renew: boolean;
}

export interface NewCertificate extends Issued {
  readonly file: string;
}

export interface CaState {
  readonly dir: string;
  readonly crl: string;
  readonly fingerprint: string;
}

/** What knows X.509 is loaded when it is needed: a proxy that only reads a bundle starts without it. */
type Mint = typeof import("./mint.ts");
const loadMint = (): Promise<Mint> => import("./mint.ts");

const filesOf = (dir: string) => ({
  key: join(dir, "ca.key"),
  cert: join(dir, "ca.crt"),
  settings: join(dir, "ca.json"),
  issued: join(dir, "issued"),
  lock: join(dir, "lock"),
});

/** Makes a CA in a directory of its own. `crl`: where the list of what is revoked goes, for a relay of another user. */
export async function initCa(dir: string, crl: string | undefined, nowMs: number): Promise<CaState> {
  const files = filesOf(dir);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  return await withLock(files.lock, async () => {
    if (existsSync(files.key) || existsSync(files.cert))
      throw new CaError("CA_EXISTS", `There is a CA in ${dir} already. Choose another directory with --ca.`);
    const { mode } = statSync(dir);
    if ((mode & 0o077) !== 0)
      throw new CaError("CA_INVALID", `Others may look into ${dir}. Take that away: chmod 700.`);
    mkdirSync(files.issued, { recursive: true, mode: 0o700 });
    const settings = { crl: resolve(crl ?? join(dir, "crl.pem")) };
    const mint = await loadMint();
    const { key, cert } = await mint.mintCa("countersign execd CA", {
      fromMs: nowMs - BACKDATED_MS,
      untilMs: nowMs + CA_MS,
    });
    writeAtomically(files.settings, `${JSON.stringify(settings)}\n`);
    writeAtomically(settings.crl, await mint.mintRevocations([], nowMs, await mint.openSigningCa(key, cert)), 0o644);
    writeAtomically(files.key, `${key}\n`);
    // Last: with it the CA is there.
    writeAtomically(files.cert, `${cert}\n`, 0o644);
    return { dir, crl: settings.crl, fingerprint: mint.fingerprintOf(cert) };
  });
}

/** Throws CaError where there's none, or it can't be used. */
export async function openCa(dir: string): Promise<Authority> {
  const files = filesOf(dir);
  if (!existsSync(files.cert))
    throw new CaError("NO_CA", `There is no CA in ${dir}. Make one: countersign execd ca init`);
  try {
    const { crl } = JSON.parse(readFileSync(files.settings, "utf8")) as { crl?: unknown };
    if (typeof crl !== "string") throw new Error(`${files.settings} doesn't tell where the list of what is revoked is`);
    const mint = await loadMint();
    const ca = await mint.openSigningCa(readFileSync(files.key, "utf8"), readFileSync(files.cert, "utf8"));
    return new Authority({ dir, crl, fingerprint: mint.fingerprintOf(ca.certificate) }, ca, mint);
  } catch (cause) {
    throw new CaError("CA_INVALID", `The CA in ${dir} can't be used (${(cause as Error).message}).`, { cause });
  }
}

export class Authority {
  readonly state: CaState;
  readonly #ca: SigningCa;
  readonly #mint: Mint;
  readonly #issued: IssuedCertificates;

  constructor(state: CaState, ca: SigningCa, mint: Mint) {
    this.state = state;
    this.#ca = ca;
    this.#mint = mint;
    this.#issued = new IssuedCertificates(filesOf(state.dir).issued);
  }

  list(): Issued[] {
    return this.#issued.list();
  }

  /** A bundle for one instance of a sandbox. */
  async issueForSandbox(sandboxId: string, options: IssueOptions, nowMs: number): Promise<NewCertificate> {
    if (!isSandboxId(sandboxId)) {
      const rule = "letters, digits, `.`, `_` and `-`, a letter or digit first, at most 128";
      throw new CaError("INVALID_ID", `That isn't a sandbox's id: ${rule}.`);
    }
    if (options.validMs < MINUTE_MS || options.validMs > LONGEST_SANDBOX_MS)
      throw new CaError("INVALID_SPAN", "A sandbox's certificate is good for a minute to 31 days.");
    return await this.#issue({ kind: "sandbox", name: sandboxId }, options, {
      nowMs,
      mint: (span) => this.#mint.mintForSandbox(sandboxId, span, this.#ca),
    });
  }

  async issueForRelay(hosts: readonly string[], options: IssueOptions, nowMs: number): Promise<NewCertificate> {
    const [first] = hosts;
    if (first === undefined || hosts.length > MAX_HOSTS || !hosts.every((host) => isIP(host) !== 0 || HOST.test(host)))
      throw new CaError(
        "INVALID_HOST",
        `Say by which names or addresses sandboxes reach the relay: 1 to ${MAX_HOSTS} of them.`,
      );
    return await this.#issue({ kind: "relay", name: first }, options, {
      nowMs,
      mint: (span) => this.#mint.mintForRelay(hosts, span, this.#ca),
    });
  }

  /** By a sandbox's id, all that are still good; or one by its serial. It is in force once the relay has seen the list: within a second. */
  async revoke(which: string, nowMs: number): Promise<Issued[]> {
    return await withLock(filesOf(this.state.dir).lock, async () => {
      const good = this.#good(nowMs).filter(({ name, serial }) => name === which || serial === which.toLowerCase());
      if (good.length === 0)
        throw new CaError("NOT_FOUND", "No certificate of that sandbox or serial is good now. `ca list` shows them.");
      const revoked = good.map((issued) => ({ ...issued, revokedAtMs: nowMs }));
      for (const issued of revoked) this.#issued.write(issued);
      await this.#writeRevocations(nowMs);
      return revoked;
    });
  }

  async #issue(
    whom: Pick<Issued, "kind" | "name">,
    { out, validMs, renew }: IssueOptions,
    {
      nowMs,
      mint,
    }: { nowMs: number; mint: (span: { fromMs: number; untilMs: number }) => ReturnType<Mint["mintForRelay"]> },
  ): Promise<NewCertificate> {
    return await withLock(filesOf(this.state.dir).lock, async () => {
      const good = this.#good(nowMs).some(({ kind, name }) => kind === whom.kind && name === whom.name);
      if (good && !renew)
        throw new CaError(
          "ALREADY_ISSUED",
          `${whom.name} has a certificate that is still good. Give --renew, or revoke it first.`,
        );
      if (!renew && existsSync(out))
        throw new CaError("FILE_EXISTS", `${out} is there already. Choose another file with --out, or give --renew.`);
      const span = { fromMs: nowMs - BACKDATED_MS, untilMs: nowMs + validMs };
      const { key, cert, serial } = await mint(span);
      const issued = { serial, ...whom, notBeforeMs: span.fromMs, notAfterMs: span.untilMs, revokedAtMs: null };
      // Known before anybody has it: what isn't listed couldn't be revoked.
      this.#issued.forgetOld(nowMs);
      this.#issued.write(issued);
      const bundle = writeBundle({ key, cert, ca: this.#ca.certificate });
      if (renew) writeAtomically(out, bundle);
      else writeNew(out, bundle);
      return { ...issued, file: out };
    });
  }

  #good(nowMs: number): Issued[] {
    return this.#issued.list().filter(({ revokedAtMs, notAfterMs }) => revokedAtMs === null && notAfterMs > nowMs);
  }

  /** Those that have ended are refused for that: the list stays as long as what it is about. */
  async #writeRevocations(nowMs: number): Promise<void> {
    const entries = this.#issued
      .list()
      .flatMap(({ serial, revokedAtMs, notAfterMs }) =>
        revokedAtMs === null || notAfterMs < nowMs - DAY_MS ? [] : [{ serial, revokedAtMs }],
      );
    writeAtomically(this.state.crl, await this.#mint.mintRevocations(entries, nowMs, this.#ca), 0o644);
  }
}

/** Never over what is there, not even over what somebody put there this moment. */
function writeNew(path: string, content: string): void {
  try {
    writeFileSync(path, content, { flag: "wx", mode: 0o600, flush: true });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST")
      throw new CaError("FILE_EXISTS", `${path} is there already.`, { cause });
    rmSync(path, { force: true });
    throw cause;
  }
  syncDirectory(join(path, ".."));
}
