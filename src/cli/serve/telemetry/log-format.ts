import type { Logger } from '../../../foundation/index.js';
import type { Host } from '../../host.js';
import { createJsonLogger } from '../../json-logger.js';
import { createTextLogger } from '../../text-logger.js';

/** Returns the logger of the flag `--log-format`: by default text for a terminal, JSON for a file or a collector. */
export function loggerOf(
  values: { readonly 'log-format': 'text' | 'json' | undefined },
  { stderr, clock }: Host,
): Logger {
  const format = values['log-format'] ?? (stderr.isTTY === true ? 'text' : 'json');
  return format === 'text' ? createTextLogger(stderr, clock) : createJsonLogger(stderr, clock);
}
