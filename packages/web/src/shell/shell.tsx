import type { ComponentType, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { route, type ViewProps } from "../navigation/index.ts";
import { Button, Empty } from "../ui/index.ts";
import { Banner } from "./banner.tsx";
import { Header } from "./header.tsx";
import { Nav } from "./nav.tsx";
import { loadView, viewNow } from "./views.ts";
import "./shell.css";

/** Header, navigation, and the view of the current address. */
export function Shell({ signOut }: ViewProps): VNode {
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to content
      </button>
      <Header />
      <Nav />
      <main id="main" tabIndex={-1}>
        <Banner signOut={signOut} />
        <RecordWatch />
        <CurrentView signOut={signOut} />
      </main>
    </div>
  );
}

function CurrentView({ signOut }: ViewProps): VNode | null {
  const name = route.value.view;
  const [loading, setLoading] = useState<{ name: string; outcome: "loaded" | "unknown" | "failed" }>();
  const View = viewNow(name);
  useEffect(() => {
    if (viewNow(name) !== undefined) return;
    loadView(name).then(
      (view) => setLoading({ name, outcome: view === undefined ? "unknown" : "loaded" }),
      () => setLoading({ name, outcome: "failed" }),
    );
  }, [name]);
  if (View !== undefined) return <View signOut={signOut} />;
  if (loading?.name !== name || loading.outcome === "loaded") return null;
  if (loading.outcome === "unknown") return <Empty title="There’s nothing here." />;
  return (
    <Empty title="This part of the page couldn’t be loaded.">
      <Button onClick={() => location.reload()}>Load the page again</Button>
    </Empty>
  );
}

/** Compares the hub's record with what this browser remembers. Loaded when the page is idle, to keep it out of the first script. */
function RecordWatch(): VNode | null {
  const [Alarm, setAlarm] = useState<ComponentType>();
  useEffect(() => {
    const load = () => import("../receipts/record-alarm.tsx").then((module) => setAlarm(() => module.default));
    const timer = setTimeout(load, 1_000);
    return () => clearTimeout(timer);
  }, []);
  return Alarm === undefined ? null : <Alarm />;
}
