import { dialects, kubernetes } from '../../foundation/index.js';
import { commonFlags } from '../command.js';
import type { Flag } from '../flags/flag.js';
import { bool, count, ifGiven, oneOf, port, positive, repeated, text } from '../flags/kinds.js';
import { topic } from '../flags/topic.js';
import { serveFlags } from '../serve/flags.js';
import { webhookFlags } from '../serve/flags/network-flags.js';

/** Forms in which the program prints how to reach it. */
export type OutputForm = 'kubeconfig' | 'json';

/** The flags of `test-server`, in the order of `--help` and docs/reference/cli.md. */
export const testServerFlags = {
  dialect: oneOf(
    'NAME',
    dialects,
    kubernetes.name,
    kubernetes,
    `Dialect that sets the names in the API, one of ${[...dialects.keys()].join(', ')}.`,
  ),
  kubeconfig: text('FILE', '', 'File to which the kubeconfig is written, readable by the file owner only.'),
  output: ifGiven(
    oneOf<OutputForm>(
      'FORM',
      new Map([
        ['kubeconfig', 'kubeconfig'],
        ['json', 'json'],
      ] as const),
      '',
      'kubeconfig',
      'What is printed when the server is ready: kubeconfig, or json for one line with the URLs, tokens and the kubeconfig. Default: kubeconfig, or json with --kubeconfig.',
    ),
  ),
  port: openPort('Port of the Kubernetes API (HTTPS) on 127.0.0.1; auto for any free port. Forks use any free port.'),
  'control-port': openPort('Port of the control API (HTTP) on 127.0.0.1; auto for any free port.'),
  ui: bool(true, 'Serves the page for people at /ui (docs/guides/ui.md).'),
  ...topic('Time and content', {
    time: oneOf<'real' | 'manual'>(
      'TIME',
      new Map([
        ['real', 'real'],
        ['manual', 'manual'],
      ] as const),
      'real',
      'real',
      "real: the server's time runs, and can be advanced. manual: it stands still until it is advanced.",
    ),
    'start-time': startTime(
      'Time at which the server starts, such as 2024-01-01T00:00:00Z. Default: now, or the beginning of 2024 with --time manual.',
    ),
    seed: text('TEXT', '0', 'Seed of uids and generated names.'),
    resources: serveFlags.resources,
    crds: repeated(
      'PATH',
      'File or directory of custom resource definitions that are created at startup; may be repeated.',
    ),
    load: repeated('FILE', 'File of manifests whose objects are created at startup; may be repeated.'),
  }),
  'max-forks': positive(count('NUMBER', 1000, 'Maximum number of forks at a time.')),
  'exit-with-parent': bool(
    false,
    'Ends the program when the process that started it ends, or closes the pipe at its stdin.',
  ),
  ...topic('Controllers and simulation', {
    'simulate-nodes': count('NUMBER', 0, 'Number of simulated nodes that run the pods (docs/guides/simulation.md).'),
    'simulate-pods': serveFlags['simulate-pods'],
  }),
  controllers: serveFlags.controllers,
  'service-cluster-ip-range': serveFlags['service-cluster-ip-range'],
  'service-node-port-range': serveFlags['service-node-port-range'],
  ...topic('Networks and webhooks', webhookFlags),
  'feature-gates': serveFlags['feature-gates'],
  'runtime-config': serveFlags['runtime-config'],
  'emulated-version': serveFlags['emulated-version'],
  'log-format': serveFlags['log-format'],
  v: serveFlags.v,
  ...commonFlags,
};

/** Returns a flag of the port of a server that always listens; 0 for any free port. */
function openPort(help: string): Flag<number> {
  const any = port(0, help);
  const parse = (value: string): number => {
    const number = any.parse(value, undefined);
    if (number === 'none') throw new Error('must be a number between 1 and 65535, or auto for any free port');
    return number === 'any' ? 0 : number;
  };
  return { ...any, fallback: 0, shown: 'auto', parse };
}

/** Returns a flag of a time (RFC 3339), in milliseconds since the epoch. */
function startTime(help: string): Flag<number | undefined> {
  const parse = (value: string): number => {
    const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value) ? Date.parse(value) : NaN;
    if (Number.isNaN(ms)) throw new Error('must be a time such as 2024-01-01T00:00:00Z');
    return ms;
  };
  return { valueName: 'TIME', help, fallback: undefined, shown: '', parse };
}
