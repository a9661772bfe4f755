import type { ApiServerOptions } from '../../../apiserver/index.js';
import { defaultWrongTokens, type WrongTokenLimits } from '../../../security/index.js';
import { defaultInFlight, defaultLimits, defaultWatches } from '../../../server/index.js';
import type { ListenOptions } from '../../../transport/node.js';
import type { FlagValues } from '../../flags/flag.js';
import { bool, count, duration, positive, size, within } from '../../flags/kinds.js';
import { UsageError } from '../../usage-error.js';

const MIB = 1024 * 1024;

/** The flags that limit the resources and time that requests use. docs/reference/limits.md lists them beside the options. */
export const limitFlags = {
  'request-timeout': positive(
    duration(
      '1m0s',
      'Maximum duration of a request other than a watch, including its body. After that it is answered with 504, or with 408 if its body is incomplete.',
    ),
  ),
  'request-cpu': duration(
    '10s',
    'Maximum time of the processor that a request other than a watch may use; 0s for no limit. After that it is answered with 504.',
  ),
  'min-request-timeout': positive(
    count(
      'SECONDS',
      1800,
      'Minimum duration of a watch without timeoutSeconds, in seconds. It ends at a random time between this value and twice this value, so that watchers do not reconnect at once.',
    ),
  ),
  'max-request-body-size': positive(
    size('3Mi', 'Maximum size of a request body; larger bodies are answered with 413.'),
  ),
  'max-request-body-containers': positive(
    count(
      'NUMBER',
      defaultLimits.bodyContainers,
      'Maximum number of objects and lists in a request body; bodies with more are answered with 413.',
    ),
  ),
  'enable-priority-and-fairness': bool(
    true,
    'Admit requests by API Priority and Fairness, which divides the sum of the next two limits among priority levels with fair queues (docs/concepts/fairness.md).',
  ),
  'max-requests-inflight': count(
    'NUMBER',
    defaultInFlight.maxReadOnly,
    'Maximum number of concurrent read-only requests; 0 for no limit, without priority and fairness. Excess requests are answered with 429.',
  ),
  'max-mutating-requests-inflight': count(
    'NUMBER',
    defaultInFlight.maxMutating,
    'Maximum number of concurrent mutating requests; 0 for no limit, without priority and fairness. Excess requests are answered with 429.',
  ),
  'max-waiting-requests': count(
    'NUMBER',
    defaultInFlight.maxWaiting,
    'Maximum number of requests that wait for their body or for a future resource version; 0 for no limit.',
  ),
  'max-waiting-body-megabytes': count(
    'NUMBER',
    defaultInFlight.maxBodyBytes / MIB,
    'Maximum total size of incomplete request bodies, in megabytes (2^20 bytes); 0 for no limit.',
  ),
  'max-user-share': within(
    count(
      'PERCENT',
      defaultInFlight.userShare * 100,
      'Maximum share of each of these limits for a single user, in percent. It shrinks as other users take more. 100 for no such limit.',
    ),
    1,
    100,
    'between 1 and 100, inclusive',
  ),
  'max-watches': count('NUMBER', defaultWatches.max, 'Maximum number of watches of all users; 0 for no limit.'),
  'max-watches-per-user': count(
    'NUMBER',
    defaultWatches.maxPerUser,
    'Maximum number of watches per user, except members of system:masters; 0 for no limit.',
  ),
  'max-initial-states-per-user': count(
    'NUMBER',
    defaultWatches.initialStatesPerUser,
    'Maximum number of watches per user whose initial state is sent at once; the others wait in order. 0 for no limit.',
  ),
  'max-wrong-bootstrap-tokens': count(
    'NUMBER',
    defaultWrongTokens.inAll,
    'Maximum number of invalid bootstrap tokens per minute, from all addresses, that are answered with 401; further ones are answered with 429. 0 for no limit.',
  ),
  'max-wrong-bootstrap-tokens-per-source': count(
    'NUMBER',
    defaultWrongTokens.perSource,
    'The same limit per address, or per IPv6 /64 network.',
  ),
};

/** The size and time limits for the clients of each port. */
export const portLimitFlags = {
  'max-connections': positive(
    count('NUMBER', 20_000, 'Maximum number of open connections per port; further connections are closed immediately.'),
  ),
  'http2-max-streams-per-connection': positive(
    count('NUMBER', 100, 'Maximum number of concurrent requests per HTTP/2 connection.'),
  ),
  'http2-max-resets-per-connection': positive(
    count(
      'NUMBER',
      200,
      'Maximum number of requests of an HTTP/2 connection that its client resets before they are answered, in 10 seconds; beyond it the connection is closed.',
    ),
  ),
  'max-header-size': positive(
    size('64Ki', 'Maximum size of the request line and header fields together; larger ones are answered with 431.'),
  ),
  'max-url-size': positive(size('32Ki', 'Maximum size of path and query together; larger ones are answered with 414.')),
  'header-timeout': positive(
    duration(
      '32s',
      'Maximum duration of the TLS handshake, and of receiving the request head, after which the response is 408. At most --request-timeout.',
    ),
  ),
  'idle-timeout': positive(duration('1m30s', 'How long an idle connection stays open.')),
  'write-timeout': positive(
    duration(
      '1m0s',
      'How long a client may leave a response or watch events unread. After that its connection is closed.',
    ),
  ),
  'linger-timeout': positive(
    duration(
      '5s',
      'Grace period, after a limit above is exceeded and during shutdown, for a client to send the rest of a body or close its connection. After that its connection is closed.',
    ),
  ),
};

/** Returns whether requests are admitted by priority and fairness. @throws UsageError for limits that exclude it */
export function fairnessOf(values: FlagValues<typeof limitFlags>): boolean {
  const isFair = values['enable-priority-and-fairness'];
  for (const flag of ['max-requests-inflight', 'max-mutating-requests-inflight'] as const)
    if (isFair && values[flag] === 0)
      throw new UsageError(
        `--${flag}=0 is no limit that priority and fairness could divide among the levels: set a number, or --enable-priority-and-fairness=false`,
      );
  return isFair;
}

/** Returns the API limits that the flags set. */
export function limitsOf(values: FlagValues<typeof limitFlags>): NonNullable<ApiServerOptions['limits']> {
  return {
    bodyBytes: values['max-request-body-size'],
    bodyContainers: values['max-request-body-containers'],
    requestTimeout: values['request-timeout'],
    requestCpu: values['request-cpu'],
    minWatch: values['min-request-timeout'] * 1000,
    inFlight: {
      maxReadOnly: values['max-requests-inflight'],
      maxMutating: values['max-mutating-requests-inflight'],
      maxWaiting: values['max-waiting-requests'],
      maxBodyBytes: values['max-waiting-body-megabytes'] * MIB,
      userShare: values['max-user-share'] / 100,
    },
    watches: {
      max: values['max-watches'],
      maxPerUser: values['max-watches-per-user'],
      initialStatesPerUser: values['max-initial-states-per-user'],
    },
  };
}

/** Returns the limits for invalid bootstrap tokens that the flags set. */
export function wrongTokensOf(values: FlagValues<typeof limitFlags>): WrongTokenLimits {
  return {
    perSource: values['max-wrong-bootstrap-tokens-per-source'],
    inAll: values['max-wrong-bootstrap-tokens'],
  };
}

/** Returns the port limits that the flags set. Receiving a body may take as long as the whole request. */
export function portLimitsOf(
  values: FlagValues<typeof portLimitFlags> & { readonly 'request-timeout': number },
): Pick<ListenOptions, 'limits' | 'timeouts'> {
  return {
    limits: {
      connections: values['max-connections'],
      streams: values['http2-max-streams-per-connection'],
      resets: values['http2-max-resets-per-connection'],
      headerBytes: values['max-header-size'],
      urlBytes: values['max-url-size'],
    },
    timeouts: {
      request: values['request-timeout'],
      headers: values['header-timeout'],
      idle: values['idle-timeout'],
      write: values['write-timeout'],
      linger: values['linger-timeout'],
    },
  };
}
