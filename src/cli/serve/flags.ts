import { parseControllerList } from '../../controllers/index.js';
import { dialects, orch } from '../../names/index.js';
import { FeatureGates } from '../../server/feature-gates.js';
import { RuntimeConfig } from '../../server/runtime-config.js';
import { commonFlags } from '../command.js';
import { address, count, duration, heapMemory, ifGiven, list, oneOf, pairs, port, text } from '../flags/kinds.js';
import { authenticationFlags } from './authentication-flags.js';
import { authorizationFlags } from './authorization-flags.js';
import { servedStorageFlags } from '../storage/flags.js';
import { limitFlags, portLimitFlags } from './limit-flags.js';
import { signingFlags } from './signing-flags.js';

/** The flags of `serve`: what `--help` and docs/cli.md show, in this order. */
export const serveFlags = {
  dialect: oneOf(
    'NAME',
    dialects,
    orch.name,
    orch,
    `The names that the API spells, one of ${[...dialects.keys()].join(', ')}.`,
  ),
  'bind-address': address(
    '127.0.0.1',
    'The address that the secure port is on; 0.0.0.0 or :: for every address of the machine.',
  ),
  'secure-port': port(6443, 'The port for HTTPS (HTTP/1.1 and HTTP/2); 0 for none, auto for one that is free.'),
  'insecure-loopback-port': port(
    6480,
    'The port for HTTP in the clear, on 127.0.0.1 only; 0 for none, auto for one that is free. Requests are authenticated there as anywhere.',
  ),
  'accept-hosts': list(
    'NAMES',
    [],
    'Names that requests to the port in the clear may have in Host, besides localhost and loopback addresses; others are answered with 403, against DNS rebinding. * for any.',
  ),
  'cert-dir': text(
    'DIR',
    '.orch',
    'Where the self-made authority and serving certificate are kept (ca.crt, apiserver.crt, apiserver.key). Ignored with --tls-cert-file.',
  ),
  'tls-cert-file': text(
    'FILE',
    '',
    'The serving certificate (PEM) followed by its intermediates and its authority. Without it one is made.',
  ),
  'tls-private-key-file': text('FILE', '', 'The key of the serving certificate (PEM).'),
  ...authenticationFlags,
  ...authorizationFlags,
  ...signingFlags,
  ...servedStorageFlags,
  'kubeconfig-out': text(
    'FILE',
    '.orch/kubeconfig',
    'Where the kubeconfig of the owner is written, readable by its owner only; empty for none.',
  ),
  controllers: {
    ...pairs(
      'NAMES',
      'Controllers that run: * for all that are on by default, a name for that one, -name for all but that one (docs/controllers.md).',
      (value) => parseControllerList(value),
    ),
    fallback: '*',
    shown: '*',
  },
  'feature-gates': pairs(
    'PAIRS',
    'Features to switch on or off: Name=true,Other=false (docs/feature-gates.md).',
    (value) => FeatureGates.parse(value),
  ),
  'runtime-config': pairs(
    'PAIRS',
    'Versions to switch on or off: group/version=true,api/beta=false (docs/feature-gates.md).',
    (value) => RuntimeConfig.parse(value),
  ),
  'history-memory': heapMemory(
    '25%',
    'How much memory the past may take, for watches and lists that begin there: a share of the heap (25%) or bytes (256Mi). What is older is compacted.',
  ),
  'livez-grace-period': duration(
    '0s',
    'How long after the start /livez is good although what is set up at the start is not done: 30s, 1m30s.',
  ),
  'shutdown-delay-duration': duration(
    '0s',
    'How long requests are still served after a request to end, while /readyz fails already: 500ms, 5s, 1m30s.',
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
      'How the log is written: text, for people, or json. Default: text where stderr is a terminal, else json.',
    ),
  ),
  ...limitFlags,
  ...portLimitFlags,
  v: {
    ...count('LEVEL', 0, 'How much is logged: at 0 what the server does, from 3 on also every request.'),
    shorthand: 'v',
  },
  ...commonFlags,
};
