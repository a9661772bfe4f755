import { parseControllerList } from '../../apiserver/index.js';
import { dialects, orch } from '../../foundation/index.js';
import { DEFAULT_NETWORK, DEFAULT_NODE_PORTS, parseClusterIPRanges, parseNodePortRange } from '../../kinds/index.js';
import { defaultRelease, FeatureGates, releases, RuntimeConfig, type Release } from '../../server/index.js';
import { LEAST_OBJECTS_TEXT } from '../../storage/index.js';
import { commonFlags } from '../command.js';
import { configFlag } from '../config-file.js';
import {
  address,
  bool,
  checked,
  count,
  duration,
  heapMemory,
  ifGiven,
  limitedHeapMemory,
  list,
  oneOf,
  pairs,
  port,
  text,
} from '../flags/kinds.js';
import { topic } from '../flags/topic.js';
import { servedEncryptionFlags } from '../storage/encryption.js';
import { servedStorageFlags } from '../storage/flags.js';
import { admissionFlags } from './flags/admission-flags.js';
import { auditFlags } from './flags/audit-flags.js';
import { authenticationFlags } from './flags/authentication-flags.js';
import { authorizationFlags } from './flags/authorization-flags.js';
import { leaderElectionFlags } from './flags/leader-election-flags.js';
import { limitFlags, portLimitFlags } from './flags/limit-flags.js';
import { signingFlags } from './flags/signing-flags.js';
import { telemetryFlags } from './flags/telemetry-flags.js';
import { webhookFlags } from './flags/network-flags.js';

/** The flags of `serve`, in the order of `--help` and docs/reference/cli.md. */
export const serveFlags = {
  dialect: oneOf(
    'NAME',
    dialects,
    orch.name,
    orch,
    `Dialect that sets the names in the API, one of ${[...dialects.keys()].join(', ')}.`,
  ),
  'kubeconfig-out': text(
    'FILE',
    '.orch/kubeconfig',
    'File to which the owner kubeconfig is written, readable by the file owner only; empty for none.',
  ),
  'crd-dir': text(
    'DIR',
    '',
    'Directory of custom resource definitions (*.yaml, *.yml, *.json) that are created or updated at startup; other objects in it are ignored.',
  ),
  resources: text(
    'FILE',
    '',
    'Kinds to serve besides the built-in ones: a module in TypeScript or JavaScript that exports results of defineResource, or custom resource definitions in YAML or JSON.',
  ),
  ...configFlag,
  ...commonFlags,
  ...topic('Ports and certificates', {
    'bind-address': address(
      '127.0.0.1',
      'IP address of the secure port; 0.0.0.0 or :: for all addresses of the machine.',
    ),
    'secure-port': port(6443, 'Port for HTTPS (HTTP/1.1 and HTTP/2); 0 for none, auto for any free port.'),
    'insecure-loopback-port': port(
      6480,
      'Plaintext port (HTTP), on 127.0.0.1 only; 0 for none, auto for any free port. Requests are authenticated as on the secure port.',
    ),
    'accept-hosts': list(
      'NAMES',
      [],
      'Host names accepted on the plaintext port in addition to localhost and loopback addresses; * for any. Others are answered with 403, as protection against DNS rebinding.',
    ),
    ui: bool(false, 'Serves the page for people at /ui of both ports (docs/guides/ui.md).'),
    'ui-read-only': bool(false, 'Refuses what the page sends besides reads, whoever is signed in. Requires --ui.'),
    'cert-dir': text(
      'DIR',
      '.orch',
      'Directory of the generated certificate authority and serving certificate (ca.crt, apiserver.crt, apiserver.key). Ignored with --tls-cert-file.',
    ),
    'tls-cert-file': text(
      'FILE',
      '',
      'Serving certificate (PEM), followed by its intermediates and its authority. Default: the server generates one.',
    ),
    'tls-private-key-file': text('FILE', '', 'Private key of the serving certificate (PEM).'),
  }),
  ...authenticationFlags,
  ...topic('Authorization', authorizationFlags),
  ...topic('Signing of certificates', signingFlags),
  ...auditFlags,
  ...topic('Metrics and traces', telemetryFlags),
  ...topic('Store', {
    ...servedStorageFlags,
    ...servedEncryptionFlags,
    'replace-agreement': ifGiven({
      ...bool(
        false,
        'Replaces the ranges of cluster IPs and node ports that the servers of the store have agreed on by those of this server, while no other one runs (docs/guides/several-servers.md).',
      ),
      shown: '',
    }),
  }),
  ...topic('Controllers and simulation', {
    controllers: {
      ...pairs(
        'NAMES',
        'Controllers to run: * for all that are on by default, NAME to enable one, -NAME to disable one (docs/concepts/controllers.md).',
        (value) => parseControllerList(value),
      ),
      fallback: '*',
      shown: '*',
      form: 'list',
    },
    ...leaderElectionFlags,
    'simulate-nodes': count(
      'NUMBER',
      0,
      'Number of simulated nodes that run the pods: no processes, only their API objects (docs/guides/simulation.md). With them, the controllers of workloads run unless --controllers disables them.',
    ),
    'simulate-pods': text(
      'FILE',
      '',
      'YAML file of rules about simulated pods: what they become, and what they answer to logs, commands, clients that attach, and on their ports (docs/guides/simulation.md).',
    ),
    'terminated-pod-gc-threshold': count(
      'NUMBER',
      12_500,
      'Number of pods that have ended and that the controller podgc keeps; the oldest of more are deleted. 0 keeps all.',
    ),
  }),
  ...topic('Networks and webhooks', {
    'service-cluster-ip-range': checked(
      'CIDRS',
      DEFAULT_NETWORK,
      'Network of the cluster IPs of services; two of different IP families, separated by a comma, for dual-stack services.',
      parseClusterIPRanges,
    ),
    'service-node-port-range': checked(
      'RANGE',
      `${DEFAULT_NODE_PORTS.first}-${DEFAULT_NODE_PORTS.last}`,
      'Range of the node ports of services, both ends included.',
      parseNodePortRange,
    ),
    ...webhookFlags,
  }),
  ...topic('Admission', {
    ...admissionFlags,
    'allow-privileged': bool(true, 'Allow privileged containers.'),
  }),
  ...topic('Features and versions', {
    'feature-gates': pairs(
      'PAIRS',
      'Features to enable or disable: Name=true,Other=false (docs/reference/feature-gates.md).',
      (value) => FeatureGates.parse(value),
    ),
    'runtime-config': pairs(
      'PAIRS',
      'API versions to enable or disable: group/version=true,api/beta=false (docs/reference/feature-gates.md).',
      (value) => RuntimeConfig.parse(value),
    ),
    'emulated-version': oneOf<Release>(
      'RELEASE',
      new Map(releases.map((release) => [release, release])),
      defaultRelease,
      defaultRelease,
      `Release whose API versions are served and whose deprecations warn, one of ${releases.join(', ')} (docs/concepts/versions.md).`,
    ),
  }),
  ...topic('Limits', {
    'history-memory': heapMemory(
      '25%',
      'Maximum memory of the history that serves watches and lists at past revisions: a share of the heap (25%) or bytes (256Mi). Older history is compacted.',
    ),
    'memory-budget': ifGiven(
      heapMemory(
        '75%',
        'Maximum memory of history, caches, objects and requests together: a share of the heap (75%) or bytes (2Gi). Beyond it, caches and history shrink, and requests are answered with 429.',
      ),
    ),
    'max-objects-text': ifGiven(
      limitedHeapMemory(
        '25%',
        LEAST_OBJECTS_TEXT,
        'Maximum size of all stored objects, as JSON: a share of the heap (25%) or bytes (1Gi); 0 for no limit. Creates and growing updates beyond it are answered with 429. Limits the cache on etcd and PostgreSQL.',
      ),
    ),
    ...limitFlags,
  }),
  ...topic('Limits of connections', portLimitFlags),
  ...topic('Start, end and log', {
    'livez-grace-period': duration(
      '0s',
      'How long after the start /livez succeeds although startup is not complete: 30s, 1m30s.',
    ),
    'shutdown-delay-duration': duration(
      '0s',
      'How long requests are served after a termination signal, while /readyz already fails: 500ms, 5s, 1m30s.',
    ),
    'shutdown-watch-termination-grace-period': duration(
      '0s',
      'Time over which the ends of watches are spread after that, so that their clients do not all resume at once: 10s.',
    ),
    'log-format': ifGiven(
      oneOf<'text' | 'json'>(
        'FORMAT',
        new Map([
          ['text', 'text'],
          ['json', 'json'],
        ] as const),
        '',
        'json',
        'Log format, text or json. Default: text if stderr is a terminal, else json.',
      ),
    ),
    v: {
      ...count('LEVEL', 0, 'Log verbosity: 0 logs server events, 3 and above also log every request.'),
      shorthand: 'v',
    },
  }),
};
