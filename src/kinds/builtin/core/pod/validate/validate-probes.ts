import {
  forbidden,
  invalid,
  patternText,
  required,
  resultOf,
  type FieldErrorList,
  type MaybeSteps,
  type Steps,
} from '../../../../../foundation/index.js';
import type { coreV1 } from '../../../../types/index.js';
import { absentAs, atLeast, fields, mandatory, oneOf } from '../../../shared/field-rules.js';
import { nonNegative, POSITIVE } from '../../../shared/validate.js';
import type { Container, Probe } from '../types.js';
import { portReference } from './validate-ports.js';

const HEADER_TEXT = patternText(
  "a valid HTTP header must consist of alphanumeric characters or '-'",
  '[-A-Za-z0-9]+',
  'X-Header-Name',
);
const HEADER = /^[-A-Za-z0-9]+$/;
type Handler = Pick<Probe, 'exec' | 'httpGet' | 'tcpSocket' | 'grpc'> & { sleep?: { seconds: number } | undefined };
type ActionName = 'exec' | 'httpGet' | 'tcpSocket' | 'grpc' | 'sleep';
type Check<Name extends ActionName> = (
  errors: FieldErrorList,
  path: string,
  action: NonNullable<Handler[Name]>,
  gracePeriod: number | undefined,
) => MaybeSteps<void>;

/** Kubernetes reports the path of the list, not of the header. */
function* validateHeaders(
  errors: FieldErrorList,
  path: string,
  headers: readonly coreV1.HTTPHeader[] = [],
): Steps<void> {
  for (const { name } of headers) {
    if (errors.spend()) yield;
    if (!HEADER.test(name)) errors.push(invalid(path, name, HEADER_TEXT));
  }
}

/** The actions, in the order of Kubernetes. */
const actions: { readonly [Name in ActionName]: Check<Name> } = {
  exec: fields<coreV1.ExecAction>({ command: mandatory() }),
  httpGet: fields<coreV1.HTTPGetAction>({
    path: mandatory(),
    port: portReference,
    scheme: absentAs('', oneOf(['HTTP', 'HTTPS'])),
    httpHeaders: validateHeaders,
  }),
  tcpSocket: fields<coreV1.TCPSocketAction>({ port: portReference }),
  grpc: fields<coreV1.GRPCAction>({ port: portReference }),
  sleep(errors, path, { seconds }, gracePeriod = 0) {
    if (seconds > 0 && seconds <= gracePeriod) return;
    errors.push(
      invalid(path, seconds, `must be greater than 0 and less than terminationGracePeriodSeconds (${gracePeriod})`),
    );
  },
};
const actionNames = Object.keys(actions) as ActionName[];

function validateAction<Name extends ActionName>(
  errors: FieldErrorList,
  path: string,
  name: Name,
  handler: Handler,
  gracePeriod: number | undefined,
): MaybeSteps<void> {
  const action = handler[name];
  const check: Check<Name> = actions[name];
  return action === undefined || action === null ? undefined : check(errors, `${path}.${name}`, action, gracePeriod);
}

function* validateHandler(errors: FieldErrorList, path: string, handler: Handler, gracePeriod?: number): Steps<void> {
  let found = 0;
  for (const name of actionNames) {
    if (handler[name] === undefined) continue;
    if (found > 0) errors.push(forbidden(`${path}.${name}`, 'may not specify more than 1 handler type'));
    else yield* resultOf(validateAction(errors, path, name, handler, gracePeriod));
    found += 1;
  }
  if (found === 0) errors.push(required(path, 'must specify a handler type'));
}

const probeRules = fields<Probe>({
  initialDelaySeconds: nonNegative,
  timeoutSeconds: nonNegative,
  periodSeconds: nonNegative,
  successThreshold: nonNegative,
  failureThreshold: nonNegative,
  terminationGracePeriodSeconds: atLeast(1, POSITIVE),
});

function* validateProbe(errors: FieldErrorList, path: string, probe: Probe): Steps<void> {
  yield* validateHandler(errors, path, probe);
  yield* resultOf(probeRules(errors, path, probe));
}

/** Validates a liveness or startup probe, whose success threshold must be 1. */
function* validateRestartingProbe(errors: FieldErrorList, path: string, probe: Probe): Steps<void> {
  yield* validateProbe(errors, path, probe);
  const { successThreshold = 0 } = probe;
  if (successThreshold !== 1) errors.push(invalid(`${path}.successThreshold`, successThreshold, 'must be 1'));
}

/** Validates the hooks and probes of a container. `gracePeriod` is the pod's, in seconds. */
export function* validateLifecycle(
  errors: FieldErrorList,
  path: string,
  container: Container,
  gracePeriod: number | undefined,
): Steps<void> {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  if (lifecycle?.postStart !== undefined)
    yield* validateHandler(errors, `${path}.lifecycle.postStart`, lifecycle.postStart, gracePeriod);
  if (lifecycle?.preStop !== undefined)
    yield* validateHandler(errors, `${path}.lifecycle.preStop`, lifecycle.preStop, gracePeriod);
  if (livenessProbe !== undefined) yield* validateRestartingProbe(errors, `${path}.livenessProbe`, livenessProbe);
  if (readinessProbe !== undefined) {
    yield* validateProbe(errors, `${path}.readinessProbe`, readinessProbe);
    const { terminationGracePeriodSeconds: grace } = readinessProbe;
    if (grace !== undefined)
      errors.push(
        invalid(`${path}.readinessProbe.terminationGracePeriodSeconds`, grace, 'must not be set for readinessProbes'),
      );
  }
  if (startupProbe !== undefined) yield* validateRestartingProbe(errors, `${path}.startupProbe`, startupProbe);
}
