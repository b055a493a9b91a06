import "./report.test.ts";
