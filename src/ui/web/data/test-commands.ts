/**
 * The commands of a test server (`/ui/v1/test/…`).
 *
 * @module
 */
import type { Api } from './api.js';
import { isMap, listOf, textOf } from './guards.js';

/** The time of a test server. */
export interface TestClock {
  readonly now: string;
  /** `manual` for a time that stands still until it is advanced. */
  readonly time: string;
  /** The test that failed in the state, for a state that was saved. */
  readonly saved: SavedTest | undefined;
}

/** A test that failed, and the state that was saved then. */
export interface SavedTest {
  readonly name: string;
  readonly file: string;
  /** The text of the error that the test threw. */
  readonly error: string;
  /** When it was saved, RFC 3339. */
  readonly savedAt: string;
  /** Sentences about the parts that did not fit into the file. */
  readonly leftOut: readonly string[];
}

/** A rule: of faults, or of simulated nodes and pods. */
export interface TestRule {
  readonly id: string;
  readonly hits: number;
  /** The rule as JSON. */
  readonly text: string;
}

/** A fork of a test server. */
export interface TestFork {
  readonly id: string;
  readonly url: string;
}

const ROOT = 'ui/v1/test/';

/** Reads a list. @throws ApiFailure where the test server has no such part, too */
async function itemsAt(api: Api, path: string, signal: AbortSignal): Promise<readonly unknown[]> {
  const sent = await api.read<unknown>(ROOT + path, 'application/json', signal);
  return isMap(sent) ? listOf(sent['items']) : [];
}

const clockIn = (sent: unknown): TestClock => ({
  now: (isMap(sent) ? textOf(sent['now']) : undefined) ?? '',
  time: (isMap(sent) ? textOf(sent['time']) : undefined) ?? '',
  saved: isMap(sent) && isMap(sent['saved']) ? savedIn(sent['saved']) : undefined,
});

function savedIn({ test, savedAt, leftOut }: Readonly<Record<string, unknown>>): SavedTest {
  const [failed, missing] = [isMap(test) ? test : {}, isMap(leftOut) ? leftOut : {}];
  const counted = (what: string, words: string): string[] =>
    Number(missing[what] ?? 0) > 0 ? [`${String(missing[what])} ${words}`] : [];
  return {
    ...{ name: textOf(failed['name']) ?? '', file: textOf(failed['file']) ?? '', error: textOf(failed['error']) ?? '' },
    savedAt: textOf(savedAt) ?? '',
    leftOut: [
      ...counted('writes', 'older writes'),
      ...counted('requests', 'older requests'),
      ...counted('bodies', 'bodies of requests'),
    ],
  };
}

export const readClock = async (api: Api, signal: AbortSignal): Promise<TestClock> =>
  clockIn(await api.read<unknown>(`${ROOT}clock`, 'application/json', signal));

/** Advances the time, and waits until the work that follows is done. @param duration such as `90s` @throws ApiFailure */
export const advanceClock = async (api: Api, duration: string): Promise<TestClock> =>
  clockIn(await api.post<unknown>(`${ROOT}clock/advance`, { duration }));

/** Reads the rules at a path. @throws ApiFailure */
export const readRules = async (api: Api, path: RulePath, signal: AbortSignal): Promise<TestRule[]> =>
  (await itemsAt(api, path, signal)).filter(isMap).map(({ id, hits, ...rest }) => ({
    ...{ id: textOf(id) ?? '', hits: Number(hits) },
    text: JSON.stringify(isMap(rest['rule']) ? rest['rule'] : rest),
  }));

/** Where rules are: those of faults, and those of simulated nodes and pods. */
export type RulePath = 'faults' | 'simulation/rules';

/** Adds a rule. @throws ApiFailure for one that the server refuses */
export const addRule = (api: Api, path: RulePath, rule: object): Promise<unknown> => api.post(ROOT + path, rule);

export const removeRule = (api: Api, path: RulePath, id: string): Promise<Response> =>
  api.request(`${ROOT}${path}/${encodeURIComponent(id)}`, { method: 'DELETE' });

/** Reads the forks; none for a fork, which does not list them. @throws ApiFailure */
export const readForks = async (api: Api, signal: AbortSignal): Promise<TestFork[]> =>
  (await itemsAt(api, 'forks', signal))
    .filter(isMap)
    .map(({ id, url }) => ({ id: textOf(id) ?? '', url: textOf(url) ?? '' }));

export const addFork = (api: Api): Promise<unknown> => api.post(`${ROOT}forks`, {});

export const removeFork = (api: Api, id: string): Promise<Response> =>
  api.request(`${ROOT}forks/${encodeURIComponent(id)}`, { method: 'DELETE' });

/** Goes back to the state in which the server started. @throws ApiFailure */
export const reset = (api: Api): Promise<unknown> => api.post(`${ROOT}reset`, {});

/** A request of the journal. */
export interface TestRequest {
  readonly number: number;
  /** Milliseconds since the epoch, on the clock of the server. */
  readonly time: number;
  readonly user: string;
  readonly verb: string;
  readonly path: string;
  /** 0 before the answer. */
  readonly status: number;
  /** The body and the answer as JSON; empty where the server does not tell them. */
  readonly body: string;
  readonly answer: string;
}

/** Reads the journal, the oldest request first. @throws ApiFailure */
export const readJournal = async (api: Api, signal: AbortSignal): Promise<TestRequest[]> =>
  (await itemsAt(api, 'requests', signal))
    .filter(isMap)
    .map(({ number, time, user, verb, path, status, body, answer }) => ({
      ...{ number: Number(number), time: Number(time), status: Number(status ?? 0) },
      ...{ user: textOf(user) ?? '', verb: textOf(verb) ?? '', path: textOf(path) ?? '' },
      ...{ body: jsonOf(body), answer: jsonOf(answer) },
    }));

const jsonOf = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value, null, 2));
