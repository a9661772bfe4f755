import { isPrintable } from '../../meta/go-text.js';
import { UNKNOWN_MANAGER } from './manager-info.js';

/** Maximum length of a field manager's name, in bytes. */
export const MAX_MANAGER_BYTES = 128;

/**
 * Returns the field manager of a request that names none: its User-Agent up to the first slash, without unprintable
 * characters, cut to the maximum length; `unknown` when nothing remains.
 */
export function managerFromUserAgent(userAgent: string): string {
  const slash = userAgent.indexOf('/');
  const product = slash < 0 ? userAgent : userAgent.slice(0, slash);
  let name = '';
  let bytes = 0;
  for (const character of product) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x80 ? code < 0x20 || code === 0x7f : !isPrintable(character)) continue;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (bytes > MAX_MANAGER_BYTES) break;
    name += character;
  }
  return name === '' ? UNKNOWN_MANAGER : name;
}
