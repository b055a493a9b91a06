import type { PolicyPage, RepositoryPolicy } from "@countersign/protocol/policy";
import { visible } from "@countersign/protocol/text";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useHub, useMutation } from "../hub/index.ts";
import { ago } from "../text/index.ts";
import { Button, Dialog, Notice, VisibleText } from "../ui/index.ts";
import { SaveBar } from "./change-preview.tsx";
import { NewlyAllowedList } from "./newly-allowed.tsx";
import { sendTrust } from "./policy-edits.ts";
import "./side.css";

const STATE_WORDS: Readonly<Record<RepositoryPolicy["state"], string>> = {
  trusted: "Trusted, as its file is now",
  changed: "Its file has changed since it was trusted: its allow rules don’t apply",
  untrusted: "Not trusted: its deny rules apply, its allow rules don’t",
  denies: "Only denies, which needs no trust",
  broken: "Can’t be read: every command there is denied",
  gone: "Was trusted, and has no policy any more",
};

interface Props {
  page: PolicyPage;
  onChange(message: string): void;
}

/** Repositories that have a policy. */
export function Repositories({ page, onChange }: Props): VNode | null {
  const [open, setOpen] = useState<RepositoryPolicy>();
  if (page.repositories.length === 0) return null;
  return (
    <section class="policy-part" aria-labelledby="repositories-title">
      <h2 id="repositories-title">Repositories</h2>
      <ul class="policy-list">
        {page.repositories.map((repository) => (
          <li key={repository.directory}>
            <p>
              <code>
                <VisibleText text={repository.directory} />
              </code>
            </p>
            <p
              class={`small ${repository.state === "broken" || repository.state === "changed" ? "policy-wider" : "quiet"}`}
            >
              {STATE_WORDS[repository.state]}
              {repository.by !== undefined && (
                <>
                  {" "}
                  (<VisibleText text={repository.by} /> {ago(repository.atMs ?? 0, Date.now())})
                </>
              )}
            </p>
            {repository.problem !== undefined && (
              <p class="small">
                <VisibleText text={repository.problem} />
              </p>
            )}
            <TrustButtons repository={repository} onLook={() => setOpen(repository)} onChange={onChange} />
          </li>
        ))}
      </ul>
      {open !== undefined && (
        <TrustDialog
          repository={open}
          onClose={(message) => {
            setOpen(undefined);
            if (message !== undefined) onChange(message);
          }}
        />
      )}
    </section>
  );
}

interface ButtonProps {
  repository: RepositoryPolicy;
  onLook(): void;
  onChange(message: string): void;
}

function TrustButtons({ repository, onLook, onChange }: ButtonProps): VNode | null {
  const { directory, state, by } = repository;
  const hub = useHub();
  const { problem, isBusy, mutate } = useMutation();
  const untrust = () =>
    mutate(async () => {
      await sendTrust(hub, { directory, sha256: null });
      onChange(`No longer trusted: ${directory}.`);
    });
  const canTrust = state === "untrusted" || state === "changed";
  if (!canTrust && by === undefined) return null;
  return (
    <p class="entry-actions">
      {canTrust && (
        <Button aria-label={`Review and trust: ${visible(directory)}`} onClick={onLook}>
          Review and trust…
        </Button>
      )}
      {by !== undefined && (
        <Button aria-label={`Revoke trust: ${visible(directory)}`} disabled={isBusy} onClick={untrust}>
          Revoke trust
        </Button>
      )}
      {problem && <Notice kind="problem">{problem}</Notice>}
    </p>
  );
}

interface TrustProps {
  repository: RepositoryPolicy;
  onClose(message?: string): void;
}

function TrustDialog({ repository, onClose }: TrustProps): VNode {
  const { directory, sha256, allows, denies, changes, leftOut } = repository;
  const hub = useHub();
  const { problem, isBusy, mutate } = useMutation();
  const trust = (hash: string) =>
    mutate(async () => {
      await sendTrust(hub, { directory, sha256: hash });
      onClose(`Trusted until its file changes: ${directory}.`);
    });
  return (
    <Dialog title="Trust a repository’s policy" onClose={() => onClose()}>
      <p>
        <code>
          <VisibleText text={directory} />
        </code>
      </p>
      <p>Trusting it would newly allow, only inside this directory:</p>
      <NewlyAllowedList widening={changes} />
      <p class="quiet small">
        It allows {allows.length} and denies {denies.length} patterns in all. The trust ends when the file changes.
      </p>
      {problem && <Notice kind="problem">{problem}</Notice>}
      {leftOut > 0 && (
        <Notice kind="problem">
          {leftOut} more don’t fit here, so it can’t be trusted from here. Read its file, then run{" "}
          <code>countersign policy trust</code> there.
        </Notice>
      )}
      <SaveBar
        label="Trust it"
        disabled={sha256 === undefined || isBusy || leftOut > 0}
        onSave={() => sha256 !== undefined && trust(sha256)}
        onClose={onClose}
      />
    </Dialog>
  );
}
