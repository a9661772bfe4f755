import type { OutgoingHttpHeaders } from 'node:http';
import type { StreamedRequest } from '../../../foundation/index.js';

/** Returns the header fields of a response of either HTTP version, names in lower case. */
export function* fieldsOf(
  headers: Readonly<NodeJS.Dict<string | string[]>>,
): Generator<readonly [string, string | readonly string[]]> {
  for (const [name, values] of Object.entries(headers)) {
    // A colon starts a pseudo-header of HTTP/2, which is not a field.
    if (values === undefined || name.startsWith(':')) continue;
    const [only, ...more] = typeof values === 'string' ? [values] : values;
    if (only !== undefined) yield [name, more.length === 0 ? only : values];
  }
}

/** Returns the header fields of a request in the form of Node. */
export function sentFields(headers: StreamedRequest['headers'] = {}): OutgoingHttpHeaders {
  const fields: OutgoingHttpHeaders = {};
  for (const [name, values] of Object.entries(headers))
    fields[name] = typeof values === 'string' ? values : [...values];
  return fields;
}
