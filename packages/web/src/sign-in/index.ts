export { LoadSignIn } from "./load-sign-in.tsx";
