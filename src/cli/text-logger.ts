import { hexNumber, type Clock, type LogFields, type Logger } from '../foundation/index.js';
import type { Output } from './host.js';

/**
 * Returns a logger for terminals: time of day in UTC, level, message, and the fields as `name=value`. Stacks and causes
 * of errors follow on separate lines.
 */
export function createTextLogger(output: Output, clock: Clock): Logger {
  const log = (level: string, message: string, fields: LogFields | undefined): void => {
    const time = new Date(clock.now()).toISOString().slice(11, 23);
    const entries = Object.entries(fields ?? {});
    const line = [
      `${time} ${level} ${oneLine(message)}`,
      ...entries.map(([name, value]) => `${name}=${wordOf(value)}`),
    ].join(' ');
    const stacks = entries.flatMap(([, value]) => (value instanceof Error ? stackLines(value) : []));
    output.write(`${[line, ...stacks].join('\n')}\n`);
  };
  return {
    info: (message, fields) => log('INFO ', message, fields),
    warn: (message, fields) => log('WARN ', message, fields),
    error: (message, fields) => log('ERROR', message, fields),
  };
}

const PLAIN = /^[^\s"=\\\x00-\x1f\x7f-\x9f\u2028\u2029]+$/;
const CONTROL = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/g;

/** Escapes control characters, because text from a client must not start a line or control the terminal. */
function oneLine(text: string): string {
  return text.replace(CONTROL, (character) => `\\u${hexNumber(character.charCodeAt(0), 4)}`);
}

function wordOf(value: unknown): string {
  const text = value instanceof Error ? value.message : typeof value === 'string' ? value : textOf(value);
  return PLAIN.test(text) ? text : oneLine(JSON.stringify(text));
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => (typeof item === 'string' ? item : textOf(item))).join(',');
  if (typeof value !== 'object' || value === null) return String(value);
  try {
    return JSON.stringify(value, (_name, member: unknown) => (typeof member === 'bigint' ? String(member) : member));
  } catch {
    return 'a circular value';
  }
}

function stackLines(error: Error): string[] {
  const own = (error.stack ?? String(error)).split('\n').map((line) => `  ${oneLine(line)}`);
  return error.cause instanceof Error ? [...own, '  caused by:', ...stackLines(error.cause)] : own;
}
