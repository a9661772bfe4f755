/** Prefix of the names that only the classes of the system have. */
export const SYSTEM_PREFIX = 'system-';

/** Greatest value of a class of a user. */
export const MAX_USER_VALUE = 1_000_000_000;

/** Least priority of a pod that is critical for the system. */
export const SYSTEM_CRITICAL_PRIORITY = 2 * MAX_USER_VALUE;

/** A class of the system. */
interface SystemPriorityClass {
  readonly name: string;
  readonly value: number;
  readonly description: string;
}

/** The classes of the system. */
export const SYSTEM_CLASSES: readonly SystemPriorityClass[] = [
  {
    name: 'system-node-critical',
    value: SYSTEM_CRITICAL_PRIORITY + 1000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
  {
    name: 'system-cluster-critical',
    value: SYSTEM_CRITICAL_PRIORITY,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
];

/** Returns why a class with a reserved name is not a class of the system; undefined when it is. */
export function systemClassProblem(
  name: string,
  { value, globalDefault = false }: { readonly value: number; readonly globalDefault?: boolean | undefined },
): string | undefined {
  const known = SYSTEM_CLASSES.find((candidate) => candidate.name === name);
  if (known === undefined) return `${name} is not a known system priority class`;
  if (known.value !== value) return `value of ${name} PriorityClass must be ${known.value}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}
