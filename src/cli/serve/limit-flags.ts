import type { ApiServerOptions } from '../../api-server.js';
import type { Flag, FlagValues } from '../flags/flag.js';
import { count } from '../flags/kinds.js';

/** The flags that bound what users may take of the server at once. */
export const limitFlags = {
  'max-requests-inflight': count(
    'NUMBER',
    400,
    'Reading requests that are worked on at once; 0 for no bound. Further ones are answered with 429.',
  ),
  'max-mutating-requests-inflight': count('NUMBER', 200, 'The same for requests that change something.'),
  'max-waiting-requests': count(
    'NUMBER',
    1000,
    'Requests that wait for the rest of their body or for a version of the future; 0 for no bound.',
  ),
  'max-waiting-body-megabytes': count(
    'NUMBER',
    128,
    'Megabytes (2^20 bytes) of bodies that have not come to their end; 0 for no bound.',
  ),
  'max-user-share': percent(
    75,
    'The part of each of these bounds that one user gets who is alone, in percent: the more is taken by others, the less. 100 for no such bound.',
  ),
  'max-watches': count('NUMBER', 20_000, 'Watches of all users; 0 for no bound.'),
  'max-watches-per-user': count(
    'NUMBER',
    2000,
    'Watches of one user, members of system:masters excepted; 0 for no bound.',
  ),
};

/** A part of a whole, from 1 to 100. */
function percent(fallback: number, help: string): Flag<number> {
  const flag = count('PERCENT', fallback, help);
  const parse = (text: string): number => {
    const value = flag.parse(text, undefined);
    if (value < 1 || value > 100) throw new Error('must be between 1 and 100, inclusive');
    return value;
  };
  return { ...flag, parse };
}

/** The limits that the flags say. */
export function limitsOf(values: FlagValues<typeof limitFlags>): NonNullable<ApiServerOptions['limits']> {
  return {
    inFlight: {
      maxReadOnly: values['max-requests-inflight'],
      maxMutating: values['max-mutating-requests-inflight'],
      maxWaiting: values['max-waiting-requests'],
      maxBodyBytes: values['max-waiting-body-megabytes'] * 1024 * 1024,
      userShare: values['max-user-share'] / 100,
    },
    watches: { max: values['max-watches'], maxPerUser: values['max-watches-per-user'] },
  };
}
