import "./receipts-show.test.ts";
