import "./limit-first.test.ts";
