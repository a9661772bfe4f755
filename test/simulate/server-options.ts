import type { ApiServerOptions } from '../../src/apiserver/options/api-server-options.js';

const MIB = 1024 * 1024;

/** Signs the tokens of all worlds: a new key would be another one in each run. */
const SIGNING_KEY = [
  '-----BEGIN PRIVATE KEY-----',
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgIiWOGnjKeSUV6qBs',
  'OhuzOm5WvvWygvEAYS6mXIXVlD6hRANCAAT+YMucp2N1k8BuUaitE2YUeA2zOYqB',
  '6HTO/emAGr9ZaZPNbDf8EHfIGl7HZ0PXWL8rK2x36AGNOoSVI+1czQRh',
  '-----END PRIVATE KEY-----',
].join('\n');

/** The options of all servers of worlds. */
export const serverOptions = {
  dialect: 'kubernetes',
  authentication: { serviceAccounts: { signingKey: SIGNING_KEY } },
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
