import { afterEach, beforeEach } from 'vitest';
import type { AuthResult } from '../../../../../src/security/index.js';
import {
  createFlagClaimsMapper,
  createJwtAuthenticator,
  jwtConfigurationOfFlags,
  type JwtAuthenticator,
  type OpenIdConnectOptions,
} from '../../../../../src/security/index.js';
import { type JwtAuthenticatorOptions } from '../../../../../src/security/authn/oidc/jwt-authenticator.js';
import { createManualClock, type ManualClock } from '../../../../../src/entries/testing.js';
import { nodeHttpClient, type NodeHttpClient } from '../../../../../src/transport/node/outbound/http-client.js';
import { startHost, type Host } from './host.js';
import { testLog, type TestLog } from './log.js';

/** The setup for the tests of an authenticator: fresh for each test. */
export interface Setting {
  readonly host: Host;
  readonly http: NodeHttpClient;
  readonly clock: ManualClock;
  readonly log: TestLog;
  /** Creates an authenticator for the host and the client `orchestrator`, which is closed after the test. */
  authenticator(flags?: Partial<OpenIdConnectOptions>, options?: Partial<JwtAuthenticatorOptions>): JwtAuthenticator;
  /** Authenticates a token: the user, the message of the refusal, or undefined. */
  ask(
    authenticator: JwtAuthenticator,
    token: string,
    request?: Parameters<JwtAuthenticator['authenticate']>[1],
  ): Promise<unknown>;
}

/** The hooks of a test file. The clock starts at the current time, because a real provider uses the host's clock. */
export function useSetting(): Setting {
  const open: JwtAuthenticator[] = [];
  let current: Pick<Setting, 'host' | 'http' | 'clock' | 'log'> | undefined;
  beforeEach(async () => {
    current = {
      host: await startHost(),
      http: nodeHttpClient(),
      clock: createManualClock(Math.floor(Date.now() / 1000) * 1000),
      log: testLog(),
    };
  });
  afterEach(async () => {
    for (const authenticator of open.splice(0)) authenticator.close();
    current?.http.close();
    await current?.host.stop();
  });
  const now = (): NonNullable<typeof current> => {
    if (current === undefined) throw new Error('there is a setting only within a test');
    return current;
  };
  return {
    get host() {
      return now().host;
    },
    get http() {
      return now().http;
    },
    get clock() {
      return now().clock;
    },
    get log() {
      return now().log;
    },
    authenticator(flags = {}, options = {}) {
      const { host, http, clock, log } = now();
      const configuration = jwtConfigurationOfFlags({
        issuerUrl: host.url,
        clientId: 'orchestrator',
        certificateAuthority: host.caPem,
        groupsClaim: 'groups',
        ...flags,
      });
      const made = createJwtAuthenticator({
        configuration,
        mapClaims: createFlagClaimsMapper(configuration),
        signingAlgorithms: flags.signingAlgorithms ?? [],
        http,
        clock,
        logger: log,
        ...options,
      });
      open.push(made);
      return made;
    },
    ask: async ({ authenticate }, token, request = { signal: new AbortController().signal }) =>
      messageOrUser(await authenticate(token, request)),
  };
}

function messageOrUser(result: AuthResult): unknown {
  if (result === undefined) return undefined;
  return 'error' in result ? result.error.message : result.user;
}
