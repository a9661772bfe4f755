import type { Clock, LogFields, Logger } from '../foundation/index.js';
import type { Output } from './host.js';

/**
 * Returns a logger that writes one JSON object per line: `time` (RFC 3339, in UTC), `level`, `message`, and the fields.
 */
export function createJsonLogger(output: Output, clock: Clock): Logger {
  const log = (level: string, message: string, fields: LogFields | undefined): void => {
    output.write(`${lineOf({ time: new Date(clock.now()).toISOString(), level, message }, fields)}\n`);
  };
  return {
    info: (message, fields) => log('info', message, fields),
    warn: (message, fields) => log('warn', message, fields),
    error: (message, fields) => log('error', message, fields),
  };
}

function lineOf(head: Record<string, unknown>, fields: LogFields | undefined): string {
  const line = { ...head };
  // A field must not overwrite the time, level or message.
  for (const [name, value] of Object.entries(fields ?? {})) line[name in head ? `field.${name}` : name] = value;
  try {
    return JSON.stringify(line, plain);
  } catch {
    // Circular fields cannot be written; the message can.
    return JSON.stringify(head);
  }
}

function plain(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (!(value instanceof Error)) return value;
  return { name: value.name, message: value.message, stack: value.stack, cause: value.cause };
}
