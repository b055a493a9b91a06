import type { RiskLevel } from "./receipt.ts";

/** The action types of Agent Receipts with their default risk, by domain. */
export const PEER_TYPES = {
  "filesystem.file.create": "low",
  "filesystem.file.read": "low",
  "filesystem.file.modify": "medium",
  "filesystem.file.delete": "high",
  "filesystem.file.move": "medium",
  "filesystem.directory.create": "low",
  "filesystem.directory.delete": "high",
  "filesystem.directory.list": "low",

  "system.application.launch": "low",
  "system.application.control": "medium",
  "system.settings.modify": "high",
  "system.command.execute": "high",
  "system.code.execute": "high",
  "system.pty.open": "critical",
  "system.pty.close": "high",
  "system.browser.navigate": "low",
  "system.browser.form_submit": "medium",
  "system.browser.authenticate": "high",

  "network.egress.observed": "medium",

  "communication.email.send": "high",
  "communication.email.draft": "medium",
  "communication.email.read": "low",
  "communication.email.delete": "high",
  "communication.message.send": "high",
  "communication.calendar.create": "medium",
  "communication.calendar.modify": "medium",
  "communication.calendar.delete": "high",

  "document.file.create": "low",
  "document.file.modify": "medium",
  "document.file.delete": "high",
  "document.file.share": "high",
  "document.spreadsheet.modify_cell": "medium",
  "document.spreadsheet.modify_formula": "high",
  "document.spreadsheet.modify_structure": "medium",
  "document.presentation.modify_slide": "medium",

  "financial.payment.initiate": "critical",
  "financial.payment.authorize": "critical",
  "financial.subscription.create": "critical",
  "financial.subscription.cancel": "high",
  "financial.booking.create": "high",
  "financial.booking.cancel": "high",

  "data.api.read": "low",
  "data.api.write": "medium",
  "data.api.delete": "high",
  "data.database.query": "low",
  "data.database.modify": "high",
} as const satisfies Record<string, RiskLevel>;
