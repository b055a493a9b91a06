import type { VNode } from "preact";
import type { Credentials } from "../hub/index.ts";
import { goTo, hrefOf, pairingCodeOf, route } from "../navigation/index.ts";
import { Button, Notice, VisibleText } from "../ui/index.ts";
import { Pair } from "./pair.tsx";
import { TokenForm } from "./token-form.tsx";
import "./sign-in.css";

export interface SignInProps {
  /** Why the person is here again. */
  readonly told: string | undefined;
  /** What this browser is already, where a link was opened in one that is let in. */
  readonly known: Credentials | undefined;
  onDevice(device: Credentials): Promise<void>;
}

/** The way in for a browser that the hub doesn't know, or that was given another link. */
export default function SignIn({ told, known, onDevice }: SignInProps): VNode {
  const code = pairingCodeOf(route.value);
  const leave = () => goTo(hrefOf("inbox"), { replace: true });
  return (
    <main class="sign-in">
      <h1>{code === undefined ? "Countersign" : "Pair this browser"}</h1>
      {told && code === undefined && <Notice>{told}</Notice>}
      {known && (
        <Notice>
          This browser is <VisibleText text={known.name} /> already. Pairing it again gives it a new key and leaves the
          old one’s token to be revoked. <Button onClick={leave}>Go on as it is</Button>
        </Notice>
      )}
      <WayIn code={code} onDevice={onDevice} onLeave={leave} />
    </main>
  );
}

function WayIn({
  code,
  ...rest
}: { code: string | undefined; onLeave(): void } & Pick<SignInProps, "onDevice">): VNode {
  if (!isSecureContext) {
    return (
      <Notice kind="problem">
        This address has no TLS, so the browser lets the page keep no key. Open it by https, or on the hub’s own
        machine: <code>countersign phone</code> tells how.
      </Notice>
    );
  }
  // Another link is another pairing.
  return code === undefined ? <Ways onDevice={rest.onDevice} /> : <Pair key={code} code={code} {...rest} />;
}

function Ways({ onDevice }: Pick<SignInProps, "onDevice">): VNode {
  return (
    <>
      <p class="quiet">The gate and the flight recorder between your agents and the shell.</p>
      <section>
        <h2>Pair this browser</h2>
        <p>
          Open the link that <code>countersign serve</code> shows in its terminal. For a new one, type <kbd>p</kbd> and{" "}
          <kbd>Enter</kbd> there, or run
        </p>
        <pre class="sign-in-command">countersign pair</pre>
        <p class="quiet small">Every link is good for one browser and two minutes.</p>
      </section>
      <details>
        <summary>Use a token instead</summary>
        <TokenForm onDevice={onDevice} />
      </details>
    </>
  );
}
