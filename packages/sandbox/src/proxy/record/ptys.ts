import { type PtyEnd, PtyRecord } from "./pty-record.ts";
import { PtyVisit } from "./pty-visit.ts";

const MOST_PTYS = 4096;

/** What one socket is opened with. */
export interface Attachment {
  /** The shell has ended. */
  readonly onExit: (exitCode: number) => void;
  /** How the end is told, where this socket is the one that knew. */
  readonly tellEnd: (end: PtyEnd) => void;
  /** The end of a shell is on record, and execd starts another one for who comes then. */
  readonly tellAgain: (input: object) => void;
  /** Lets nothing pass any more. */
  readonly cut: () => void;
}

export interface Attached {
  readonly visit: PtyVisit;
  /** The socket is closed, on execd's side. */
  readonly closed: () => void;
}

/** A terminal. A socket that closes doesn't end it; when its end is known and none is open any more, all has passed that ever will, and it is told. */
class Pty {
  record: PtyRecord;
  readonly open = new Set<Attachment>();
  /** null: nobody has told yet. */
  input: object | null;
  end: { exitCode: number | undefined; tell: (end: PtyEnd) => void } | undefined;
  isTold = false;

  constructor(input: object | null, record: PtyRecord) {
    this.input = input;
    this.record = record;
  }

  settle(): void {
    if (!this.end || this.isTold || this.open.size > 0) return;
    this.isTold = true;
    this.end.tell(this.record.end(this.end.exitCode));
  }

  again(): void {
    this.record = new PtyRecord({ isIncomplete: this.record.isIncomplete, position: this.record.position });
    this.end = undefined;
    this.isTold = false;
  }
}

/** The terminals of this execd. */
export class Ptys {
  readonly #ptys = new Map<string, Pty>();

  /** With what it was opened, for who starts its shell again. */
  opened(id: string, input: object): void {
    const met = this.#ptys.get(id);
    // Somebody came before it was told, as it is where a hash is waited for: what has passed since is on that record.
    if (met?.input === null) met.input = input;
    else this.#keep(id, new Pty(input, new PtyRecord({ isIncomplete: false })));
  }

  /** How far a terminal's output has come; asked when a client asks for a socket. */
  position(id: string): number {
    return this.#ptys.get(id)?.record.position ?? 0;
  }

  /** A socket that execd has opened. */
  attach(id: string, wish: { since: number | undefined; asked: number }, attachment: Attachment): Attached {
    const pty = this.#known(id);
    if (pty.isTold) {
      pty.again();
      attachment.tellAgain(pty.input ?? {});
    }
    pty.open.add(attachment);
    const onExit = (exitCode: number) => {
      pty.end = { exitCode, tell: pty.end?.tell ?? attachment.tellEnd };
      attachment.onExit(exitCode);
    };
    return {
      visit: new PtyVisit({ record: pty.record, ...wish, onExit }),
      closed: () => {
        if (pty.open.delete(attachment)) pty.settle();
      },
    };
  }

  /** execd has deleted it: it kills what ran, and its sockets are closed by that. False where its end is known already. */
  deleted(id: string, tell: (end: PtyEnd) => void): boolean {
    const pty = this.#known(id);
    if (pty.end) return false;
    pty.end = { exitCode: undefined, tell };
    pty.settle();
    return true;
  }

  /** Whoever is at it is cut off, whatever execd does. */
  cut(id: string): void {
    for (const { cut } of [...(this.#ptys.get(id)?.open ?? [])]) cut();
  }

  #known(id: string): Pty {
    return this.#ptys.get(id) ?? this.#keep(id, new Pty(null, new PtyRecord({ isIncomplete: true })));
  }

  #keep(id: string, pty: Pty): Pty {
    this.#ptys.set(id, pty);
    const oldest = this.#ptys.keys().next().value;
    if (this.#ptys.size > MOST_PTYS && oldest !== undefined) this.#ptys.delete(oldest);
    return pty;
  }
}
