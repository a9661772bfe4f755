import { duplicate, invalid, required, type FieldErrorList, type Steps } from '../../../../../foundation/index.js';
import type { PodSpec } from '../types.js';

const MAX_LENGTH = 253;
const SEGMENT = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const PATTERN = `^(${SEGMENT}[\\./])*${SEGMENT}$`;
const NAME = new RegExp(PATTERN);

/** Namespaces of kernel parameters, by the prefixes of their names. */
const PREFIXES: readonly (readonly [prefix: string, namespace: 'ipc' | 'net'])[] = [
  ['kernel.shm', 'ipc'],
  ['kernel.msg', 'ipc'],
  ['fs.mqueue.', 'ipc'],
  ['net.', 'net'],
];

/** Returns a name with dots as separators, whichever of the two the name begins with. */
function withDots(name: string): string {
  const first = name.search(/[./]/);
  if (first === -1 || name[first] === '.') return name;
  return name.replace(/[./]/g, (separator) => (separator === '.' ? '/' : '.'));
}

function namespaceOf(name: string): 'ipc' | 'net' | undefined {
  const dotted = withDots(name);
  if (dotted === 'kernel.sem') return 'ipc';
  return PREFIXES.find(([prefix]) => dotted.startsWith(prefix))?.[1];
}

/** Returns why a pod that shares a namespace with its node cannot set a parameter of it; undefined when it can. */
function hostProblem(name: string, { hostNetwork, hostIPC }: PodSpec): string | undefined {
  const namespace = namespaceOf(name);
  if (hostNetwork && namespace === 'net') return "may not be specified when 'hostNetwork' is true";
  return hostIPC && namespace === 'ipc' ? "may not be specified when 'hostIPC' is true" : undefined;
}

/** Returns whether a pod sets kernel parameters of its node. */
export const hasHostSysctls = (spec: PodSpec): boolean =>
  (spec.securityContext?.sysctls ?? []).some(({ name }) => hostProblem(name, spec) !== undefined);

/** Validates the kernel parameters of a pod. */
export function* validateSysctls(
  errors: FieldErrorList,
  path: string,
  spec: PodSpec,
  allowsHost: boolean,
): Steps<void> {
  const names = new Set<string>();
  for (const [index, { name }] of (spec.securityContext?.sysctls ?? []).entries()) {
    if (errors.spend()) yield;
    const at = `${path}[${index}].name`;
    if (name === '') errors.push(required(at));
    else if (name.length > MAX_LENGTH || !NAME.test(name))
      errors.push(invalid(at, name, `must have at most ${MAX_LENGTH} characters and match regex ${PATTERN}`));
    else if (names.has(name)) errors.push(duplicate(at, name));
    const problem = allowsHost ? undefined : hostProblem(name, spec);
    if (problem !== undefined) errors.push(invalid(at, name, problem));
    names.add(name);
  }
}
