import type { ApiServerOptions } from '../../src/apiserver/options/api-server-options.js';
import { KEY_LIFETIME } from './tokens.js';

const MIB = 1024 * 1024;

/** The options of all servers of worlds. */
export const serverOptions = {
  dialect: 'kubernetes',
  authentication: { serviceAccounts: { signingKeyLifetime: KEY_LIFETIME } },
  controllers: {
    // A delete of a pod is two writes: when the second one fails, `podgc` removes the pod, as in Kubernetes.
    enable: ['replicaset', 'podgc'],
    // Longer than the defaults, so that the renewals are not most of what happens.
    leaderElection: { leaseDuration: '60s', renewDeadline: '40s', retryPeriod: '15s' },
    namespaceDeletionDelay: '5s',
  },
  // History lasts longer than a world: nothing is forgotten unless a fault does it.
  limits: { watchHistory: '24h', memoryBytes: 64 * MIB },
  observability: { logger: { info: () => undefined, error: () => undefined } },
} as const satisfies ApiServerOptions;
