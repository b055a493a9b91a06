import { enrolledDeviceSchema } from "@countersign/protocol/access";
import { hubStateSchema } from "@countersign/protocol/hub";
import { generateDeviceKey } from "@countersign/sdk";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { ApiError, type Credentials, callApi } from "../hub/index.ts";
import { goTo, hrefOf, pairingCodeOf, route } from "../navigation/index.ts";
import { Button, Notice, VisibleText } from "../ui/index.ts";
import { guessName } from "./guess-name.ts";
import { Pair } from "./pair.tsx";
import "./sign-in.css";

export interface SignInProps {
  /** Why the person was signed out. */
  readonly reason: string | undefined;
  /** The identity of this browser, if a link was opened in a paired one. */
  readonly known: Credentials | undefined;
  onDevice(device: Credentials): Promise<void>;
}

/** The sign-in page, for an unknown browser or one with a new link. */
export default function SignIn({ reason, known, onDevice }: SignInProps): VNode {
  const code = pairingCodeOf(route.value);
  const leave = () => goTo(hrefOf("inbox"), { replace: true });
  return (
    <main class="sign-in">
      <h1>{code === undefined ? "Countersign" : "Pair this browser"}</h1>
      {reason && code === undefined && <Notice>{reason}</Notice>}
      {known && (
        <Notice>
          This browser is <VisibleText text={known.name} /> already. Pairing it again creates a new key; revoke the
          token of the old one. <Button onClick={leave}>Continue without pairing</Button>
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
        This address has no TLS, so the browser can’t store a key for this page. Open it over https, or on the hub’s own
        machine: <code>countersign phone</code> shows how.
      </Notice>
    );
  }
  // A key per link: another link is another pairing.
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
        <p class="quiet small">Each link works once, for two minutes.</p>
      </section>
      <details>
        <summary>Use a token instead</summary>
        <TokenForm onDevice={onDevice} />
      </details>
    </>
  );
}

/** For people with a token and no terminal at hand. */
function TokenForm({ onDevice }: { onDevice(device: Credentials): Promise<void> }): VNode {
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState<string>();
  const enter = async (event: Event) => {
    event.preventDefault();
    try {
      await onDevice(await enrol(token.trim()));
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      setProblem(cause.code === "UNAUTHORIZED" ? "The hub rejects this token." : cause.message);
    }
  };
  return (
    <form onSubmit={enter}>
      <label>
        Token
        <input
          type="password"
          autocomplete="off"
          spellcheck={false}
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
      </label>
      <p class="quiet small">
        Weaker than a link: anyone else who has this token can answer as you. If another device already signs for it,
        your decisions here are recorded as the token’s, not as this device’s. A profile may reject those for dangerous
        commands.
      </p>
      <Button type="submit" disabled={token.trim() === ""}>
        Sign in with the token
      </Button>
      {problem && <Notice kind="problem">{problem}</Notice>}
    </form>
  );
}

/** Enrols this browser with a key of its own if the token has none. Otherwise its answers count as the token's. A read-only token has no key. */
async function enrol(token: string): Promise<Credentials> {
  const [deviceId, name, key] = [crypto.randomUUID(), guessName(navigator.userAgent), await generateDeviceKey()];
  const body = { deviceId, name, publicKey: key.publicKey };
  try {
    await callApi(token, enrolledDeviceSchema, "POST /api/v1/devices", { body });
    return { token, deviceId, name, key };
  } catch (cause) {
    if (!(cause instanceof ApiError) || cause.code !== "UNAUTHORIZED") throw cause;
    // Also throws if the token isn't one of this hub.
    await callApi(token, hubStateSchema, "GET /api/v1/state");
    return { token, deviceId, name };
  }
}
