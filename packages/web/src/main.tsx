import { render } from "preact";
import "./styles/tokens.css";
import "./styles/base.css";
import "./ui/theme.ts";
import { App } from "./app.tsx";
import { loadCredentials } from "./hub/credentials.ts";

const root = document.getElementById("app");
if (root === null) throw new Error("The page has no place for itself");
render(<App known={await loadCredentials()} />, root);
