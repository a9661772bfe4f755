import { invalid, notSupported, qualifiedName, type FieldError } from '../../../foundation/index.js';

/** The strategy that prefers the oldest emulation version. */
export const OLDEST_EMULATION_VERSION = 'OldestEmulationVersion';

/** Adds the errors of a strategy of coordinated leader election: a name of the platform, or a name with a domain. */
export function validateStrategy(errors: FieldError[], path: string, strategy: string): void {
  // Kubernetes adds the name of the field twice.
  const at = `${path}.strategy`;
  if (strategy.includes('/'))
    for (const problem of qualifiedName(strategy)) errors.push(invalid(at, strategy, problem));
  else if (strategy !== OLDEST_EMULATION_VERSION) errors.push(notSupported(at, strategy, [OLDEST_EMULATION_VERSION]));
}
