import { NEVER, type History, type Operation } from './history.js';
import type { Violation } from './violation.js';

/** Maximum number of lines before a violation. */
const LINES = 16;

/** Returns the violations of a history as text, the first with the last events of its key before it. */
export function reportOf(history: History, violations: readonly Violation[]): string {
  const [first] = violations;
  if (first === undefined) return 'the history keeps all rules';
  const shown = violations.slice(0, 10).map((violation) => `  ${lineOf(history, violation)}`);
  const more = violations.length > shown.length ? [`  and ${violations.length - shown.length} more`] : [];
  return [
    `${violations.length} violations:`,
    ...shown,
    ...more,
    'before the first:',
    ...timelineOf(history, first),
  ].join('\n');
}

function lineOf(history: History, { rule, message, key, row, watch, at }: Violation): string {
  const place = [
    key === undefined ? '' : history.textOf(key),
    row === undefined ? '' : `operation ${row}`,
    watch === undefined ? '' : `watch ${watch}`,
  ];
  return `[${rule}] ${place.filter((part) => part !== '').join(', ')} at ${at}: ${message}`;
}

/** The last calls on the key of a violation, and what its watch received, in order of time. */
function timelineOf(history: History, { key, watch, at }: Violation): string[] {
  const lines: { at: number; text: string }[] = [];
  const text = key === undefined ? '' : history.textOf(key);
  for (const operation of history.operations()) {
    if (operation.invoked > at) break;
    const name = history.textOf(operation.key);
    if (
      operation.kind === 'compact' ||
      (text !== '' && (name === text || (name.endsWith('/') && text.startsWith(name))))
    )
      lines.push({ at: operation.invoked, text: operationText(history, operation, key) });
  }
  for (const { number, notifications } of history.watches())
    if (number === watch)
      for (const each of notifications)
        if (each.at <= at)
          lines.push({
            at: each.at,
            text: `${each.at}: watch ${number} ${each.kind} ${history.textOf(each.key)} ${each.revision} value ${each.value} after ${each.previousRevision}`,
          });
  return lines
    .sort((left, right) => left.at - right.at)
    .slice(-LINES)
    .map((line) => `  ${line.text}`);
}

function operationText(history: History, operation: Operation, key: number | undefined): string {
  const { invoked, returned, client, server, kind, argument, value, outcome, revision, row } = operation;
  const shown = history
    .shown(row)
    .filter((item) => item.key === key)
    .map((item) => ` value ${item.value} of ${item.revision}`);
  const span = `${invoked}-${returned === NEVER ? '' : returned}`;
  return `${span}: client ${client} at server ${server}: ${kind} ${history.textOf(operation.key)} value ${value} of ${argument}: ${outcome} ${revision}${shown.join()}`;
}
