import { KEY_AGE_RANGE_MS } from './limits.js';

/**
 * For how long an answer may be kept, by its `Cache-Control` (RFC 9111 section 5.2.2), between a minute and an hour: neither
 * does a provider make us ask all the time, nor are keys that it has withdrawn kept for days.
 *
 * @param defaultMs for an answer that does not say
 */
export function cacheAge(cacheControl: string | undefined, defaultMs: number): number {
  const directives = (cacheControl ?? '')
    .toLowerCase()
    .split(',')
    .map((directive) => directive.trim());
  const { least, most } = KEY_AGE_RANGE_MS;
  if (directives.some((directive) => directive === 'no-store' || directive.startsWith('no-cache'))) return least;
  for (const directive of directives) {
    const [, seconds] = /^max-age="?(\d{1,10})"?$/.exec(directive) ?? [];
    if (seconds !== undefined) return Math.min(most, Math.max(least, Number(seconds) * 1000));
  }
  return defaultMs;
}
