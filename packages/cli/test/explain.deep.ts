import "./explain.test.ts";
