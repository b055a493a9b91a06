import "./receipts-read.test.ts";
