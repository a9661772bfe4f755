import type { Api } from './api.js';
import { NO_ACCESS, NO_TRAFFIC, type Route } from './address.js';
import { isMap } from './guards.js';
import { readMoment } from './timeline.js';

/** The views that a command opens by their names. */
const PLACES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['kinds', { at: 'home' }],
  ['access', { at: 'access', query: NO_ACCESS }],
  ['traffic', { at: 'traffic', query: NO_TRAFFIC }],
  ['controllers', { at: 'traffic', query: { ...NO_TRAFFIC, show: 'controllers' } }],
  ['test', { at: 'test' }],
]);

/** A command of the palette, besides the kinds. */
export type Command =
  | { readonly is: 'open'; readonly title: string; readonly isExact: boolean; readonly to: Route }
  /** Shows the table or the object that is open as it was. */
  | { readonly is: 'past'; readonly title: string; readonly isExact: true; readonly when: string };

/** Returns the commands that a text means: `access`, or the beginning of it; `at 14:03`, `at 1038`, `at now`. */
export function commandsLike(text: string, isTest: boolean): readonly Command[] {
  const [word = '', when = ''] = text.trim().toLowerCase().split(/\s+/);
  if (word === '') return [];
  if (word === 'at') {
    const title = when === '' ? 'at 14:03, at VERSION, at now' : `at ${when}`;
    return [{ is: 'past', title, isExact: true, when }];
  }
  return [...PLACES]
    .filter(([name]) => name.startsWith(word) && (name !== 'test' || isTest))
    .map(([title, to]) => ({ is: 'open', title, isExact: title === word, to }));
}

/** Returns a route with its view as it was at a version; undefined for a view without a past. @param version empty for now */
export function routeAt(route: Route, version: string): Route | undefined {
  if (route.at === 'table') return { ...route, query: { ...route.query, past: version } };
  if (route.at !== 'object') return undefined;
  const { diff: _diff, other: _other, past: _past, ...object } = route;
  return { ...object, tab: 'history', ...(version === '' ? {} : { past: version }) };
}

/**
 * Returns the version of the store at a time of the day, in the time zone of the user, within the last 24 hours.
 *
 * @param when `14:03` or `14:03:22`, a version, or `now`, for which the version is empty
 * @throws Error in words for the user; ApiFailure
 */
export async function versionAt(api: Api, when: string): Promise<string> {
  if (when === 'now') return '';
  if (/^\d+$/.test(when)) return when;
  const info = await api.read<unknown>('ui/v1/info');
  const time = lastTime(when, Number(isMap(info) ? info['now'] : NaN));
  if (time === undefined) throw new Error('a time such as 14:03 or 14:03:22, a version, or now is needed');
  return (await readMoment(api, time)).version;
}

/** Returns the last time before another one that was at a time of the day; undefined for another text. */
export function lastTime(when: string, now: number): number | undefined {
  const [, hours, minutes, seconds = '59'] = /^(\d{1,2}):(\d\d)(?::(\d\d))?$/.exec(when) ?? [];
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59 || hours === undefined) return undefined;
  const day = new Date(now);
  // The state at a minute is that of its end, as far as it has passed.
  day.setHours(Number(hours), Number(minutes), 0, 0);
  if (day.getTime() > now) day.setDate(day.getDate() - 1);
  return day.getTime() + Number(seconds) * 1000 + 999;
}
