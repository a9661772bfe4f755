import { forbidden, invalid, notSupported, required, type FieldError } from '../../../meta/field-error.js';
import { patternText } from '../../../meta/names.js';
import { nonNegative, POSITIVE } from '../../shared/validate.js';
import type { Container, Probe } from './types.js';
import { portReference } from './validate-ports.js';

const HEADER_TEXT = patternText(
  "a valid HTTP header must consist of alphanumeric characters or '-'",
  '[-A-Za-z0-9]+',
  'X-Header-Name',
);
const HEADER = /^[-A-Za-z0-9]+$/;
const SCHEMES = ['HTTP', 'HTTPS'];

type Handler = Pick<Probe, 'exec' | 'httpGet' | 'tcpSocket' | 'grpc'> & { sleep?: { seconds: number } | undefined };
type ActionName = 'exec' | 'httpGet' | 'tcpSocket' | 'grpc' | 'sleep';
type Check<Name extends ActionName> = (
  errors: FieldError[],
  path: string,
  action: NonNullable<Handler[Name]>,
  gracePeriod: number | undefined,
) => void;

function validateHttpGet(
  errors: FieldError[],
  path: string,
  { path: target, port, scheme, httpHeaders = [] }: NonNullable<Handler['httpGet']>,
): void {
  if (!target) errors.push(required(`${path}.path`));
  portReference(errors, `${path}.port`, port);
  if (scheme === undefined || !SCHEMES.includes(scheme))
    errors.push(notSupported(`${path}.scheme`, scheme ?? '', SCHEMES));
  for (const { name } of httpHeaders)
    if (!HEADER.test(name)) errors.push(invalid(`${path}.httpHeaders`, name, HEADER_TEXT));
}

/** The actions, in the order of Kubernetes. */
const actions: { readonly [Name in ActionName]: Check<Name> } = {
  exec(errors, path, { command = [] }) {
    if (command.length === 0) errors.push(required(`${path}.command`));
  },
  httpGet: validateHttpGet,
  tcpSocket: (errors, path, { port }) => portReference(errors, `${path}.port`, port),
  grpc: (errors, path, { port }) => portReference(errors, `${path}.port`, port),
  sleep(errors, path, { seconds }, gracePeriod = 0) {
    if (seconds > 0 && seconds <= gracePeriod) return;
    errors.push(
      invalid(path, seconds, `must be greater than 0 and less than terminationGracePeriodSeconds (${gracePeriod})`),
    );
  },
};
const actionNames = Object.keys(actions) as ActionName[];

function validateAction<Name extends ActionName>(
  errors: FieldError[],
  path: string,
  name: Name,
  handler: Handler,
  gracePeriod: number | undefined,
): void {
  const action = handler[name];
  const check: Check<Name> = actions[name];
  if (action !== undefined && action !== null) check(errors, `${path}.${name}`, action, gracePeriod);
}

function validateHandler(errors: FieldError[], path: string, handler: Handler, gracePeriod?: number): void {
  let found = 0;
  for (const name of actionNames) {
    if (handler[name] === undefined) continue;
    if (found > 0) errors.push(forbidden(`${path}.${name}`, 'may not specify more than 1 handler type'));
    else validateAction(errors, path, name, handler, gracePeriod);
    found += 1;
  }
  if (found === 0) errors.push(required(path, 'must specify a handler type'));
}

const COUNTS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

function validateProbe(errors: FieldError[], path: string, probe: Probe): void {
  validateHandler(errors, path, probe);
  for (const name of COUNTS) nonNegative(errors, `${path}.${name}`, probe[name]);
  const { terminationGracePeriodSeconds: grace } = probe;
  if (grace !== undefined && grace <= 0) errors.push(invalid(`${path}.terminationGracePeriodSeconds`, grace, POSITIVE));
}

/** Validates a liveness or startup probe, whose success threshold must be 1. */
function validateRestartingProbe(errors: FieldError[], path: string, probe: Probe | undefined): void {
  if (probe === undefined) return;
  validateProbe(errors, path, probe);
  const { successThreshold = 0 } = probe;
  if (successThreshold !== 1) errors.push(invalid(`${path}.successThreshold`, successThreshold, 'must be 1'));
}

/** Validates the hooks and probes of a container. `gracePeriod` is the pod's, in seconds. */
export function validateLifecycle(
  errors: FieldError[],
  path: string,
  container: Container,
  gracePeriod: number | undefined,
): void {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  if (lifecycle?.postStart !== undefined)
    validateHandler(errors, `${path}.lifecycle.postStart`, lifecycle.postStart, gracePeriod);
  if (lifecycle?.preStop !== undefined)
    validateHandler(errors, `${path}.lifecycle.preStop`, lifecycle.preStop, gracePeriod);
  validateRestartingProbe(errors, `${path}.livenessProbe`, livenessProbe);
  if (readinessProbe !== undefined) {
    validateProbe(errors, `${path}.readinessProbe`, readinessProbe);
    const { terminationGracePeriodSeconds: grace } = readinessProbe;
    if (grace !== undefined)
      errors.push(
        invalid(`${path}.readinessProbe.terminationGracePeriodSeconds`, grace, 'must not be set for readinessProbes'),
      );
  }
  validateRestartingProbe(errors, `${path}.startupProbe`, startupProbe);
}
