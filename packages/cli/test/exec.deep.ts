import "./exec.test.ts";
