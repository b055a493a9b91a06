import { render } from "preact";
import "./tokens.css";
import "./base.css";
import { App } from "./app.tsx";
import { loadCredentials } from "./hub/index.ts";
import { applyTheme } from "./ui/index.ts";

applyTheme();
const root = document.getElementById("app");
if (root === null) throw new Error("The page has no place for itself");
render(<App known={await loadCredentials()} />, root);
