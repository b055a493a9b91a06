import "./policy.test.ts";
