import { isPrintable, MAX_FIELD_MANAGER_BYTES, utf8Length } from '../../../foundation/index.js';
import { managerName } from './manager-info.js';

/**
 * Returns the field manager of a request that does not name one: its User-Agent up to the first slash, without
 * unprintable characters, truncated to the maximum length; `unknown` when nothing remains.
 */
export function managerFromUserAgent(userAgent: string): string {
  const slash = userAgent.indexOf('/');
  const product = slash < 0 ? userAgent : userAgent.slice(0, slash);
  let name = '';
  let bytes = 0;
  for (const character of product) {
    if (!isPrintable(character)) continue;
    bytes += utf8Length(character);
    if (bytes > MAX_FIELD_MANAGER_BYTES) break;
    name += character;
  }
  return managerName(name);
}
