import type { ApiServerOptions } from '../../api-server.js';
import { defaultWrongTokens } from '../../authn/wrong-token-throttle.js';
import { defaultInFlight, defaultWatches } from '../../server/in-flight.js';
import type { ListenOptions } from '../../transport/node/index.js';
import type { FlagValues } from '../flags/flag.js';
import { count, duration, positive, size, within } from '../flags/kinds.js';

const MIB = 1024 * 1024;

/** The flags that bound what users may take of the server at once, and for how long. docs/limits.md has them beside the options. */
export const limitFlags = {
  'request-timeout': positive(
    duration(
      '1m0s',
      'How long a request may take that is not a watch, its body included; then it is answered with 504, or with 408 while its body is not complete.',
    ),
  ),
  'min-request-timeout': positive(
    count(
      'SECONDS',
      1800,
      'Seconds for which a watch lasts at least that does not say it itself; it ends by chance between this and twice this, so that watchers do not all come back at once.',
    ),
  ),
  'max-request-body-size': positive(
    size('3Mi', 'The longest body of a request; one that is longer is answered with 413.'),
  ),
  'max-requests-inflight': count(
    'NUMBER',
    defaultInFlight.maxReadOnly,
    'Reading requests that are worked on at once; 0 for no bound. Further ones are answered with 429.',
  ),
  'max-mutating-requests-inflight': count(
    'NUMBER',
    defaultInFlight.maxMutating,
    'The same for requests that change something.',
  ),
  'max-waiting-requests': count(
    'NUMBER',
    defaultInFlight.maxWaiting,
    'Requests that wait for the rest of their body or for a version of the future; 0 for no bound.',
  ),
  'max-waiting-body-megabytes': count(
    'NUMBER',
    defaultInFlight.maxBodyBytes / MIB,
    'Megabytes (2^20 bytes) of bodies that have not come to their end; 0 for no bound.',
  ),
  'max-user-share': within(
    count(
      'PERCENT',
      defaultInFlight.userShare * 100,
      'The part of each of these bounds that one user gets who is alone, in percent: the more is taken by others, the less. 100 for no such bound.',
    ),
    1,
    100,
    'between 1 and 100, inclusive',
  ),
  'max-watches': count('NUMBER', defaultWatches.max, 'Watches of all users; 0 for no bound.'),
  'max-watches-per-user': count(
    'NUMBER',
    defaultWatches.maxPerUser,
    'Watches of one user, members of system:masters excepted; 0 for no bound.',
  ),
  'max-wrong-bootstrap-tokens': count(
    'NUMBER',
    defaultWrongTokens.inAll,
    'Wrong bootstrap tokens in a minute, from all addresses, that are answered with 401; further ones are answered with 429. 0 for no bound.',
  ),
  'max-wrong-bootstrap-tokens-per-source': count(
    'NUMBER',
    defaultWrongTokens.perSource,
    'The same from one address, or one IPv6 network of 64 bits.',
  ),
};

/** The flags that bound what the clients of each port may send, and how slow they may be. */
export const portLimitFlags = {
  'max-connections': positive(
    count('NUMBER', 20_000, 'Open connections of each port; further ones are closed at once.'),
  ),
  'http2-max-streams-per-connection': positive(
    count('NUMBER', 100, 'Requests that one HTTP/2 connection may have open at once.'),
  ),
  'max-header-size': positive(
    size('64Ki', 'The longest head of a request, request line and fields together; then 431.'),
  ),
  'max-url-size': positive(size('32Ki', 'The longest path and query of a request together; then 414.')),
  'header-timeout': positive(
    duration(
      '32s',
      'How long the TLS handshake may take, and then the head of a request; then 408. At most --request-timeout.',
    ),
  ),
  'idle-timeout': positive(duration('1m30s', 'How long a connection without a request is kept open.')),
  'write-timeout': positive(
    duration(
      '1m0s',
      'How long a client may leave an answer or the events of a watch unread; then its connection is cut off.',
    ),
  ),
  'linger-timeout': positive(
    duration(
      '5s',
      'How long a client has, past the limits above and while the server ends, for what it owes: the rest of a body, the end of a connection. Then its connection is cut off.',
    ),
  ),
};

/** The limits of the API that the flags say. */
export function limitsOf(values: FlagValues<typeof limitFlags>): NonNullable<ApiServerOptions['limits']> {
  return {
    bodyBytes: values['max-request-body-size'],
    requestTimeoutMs: values['request-timeout'],
    minWatchMs: values['min-request-timeout'] * 1000,
    inFlight: {
      maxReadOnly: values['max-requests-inflight'],
      maxMutating: values['max-mutating-requests-inflight'],
      maxWaiting: values['max-waiting-requests'],
      maxBodyBytes: values['max-waiting-body-megabytes'] * MIB,
      userShare: values['max-user-share'] / 100,
    },
    watches: { max: values['max-watches'], maxPerUser: values['max-watches-per-user'] },
  };
}

/** How many wrong bootstrap tokens the flags let through. */
export function wrongTokensOf(
  values: FlagValues<typeof limitFlags>,
): ApiServerOptions['wrongBootstrapTokens'] & object {
  return {
    perSource: values['max-wrong-bootstrap-tokens-per-source'],
    inAll: values['max-wrong-bootstrap-tokens'],
  };
}

/** The limits of a port that the flags say. A body may take as long to come as the request may take in all. */
export function portLimitsOf(
  values: FlagValues<typeof portLimitFlags> & { readonly 'request-timeout': number },
): Pick<ListenOptions, 'limits' | 'timeouts'> {
  return {
    limits: {
      connections: values['max-connections'],
      streams: values['http2-max-streams-per-connection'],
      headerBytes: values['max-header-size'],
      urlBytes: values['max-url-size'],
    },
    timeouts: {
      requestMs: values['request-timeout'],
      headersMs: values['header-timeout'],
      idleMs: values['idle-timeout'],
      writeMs: values['write-timeout'],
      lingerMs: values['linger-timeout'],
    },
  };
}
