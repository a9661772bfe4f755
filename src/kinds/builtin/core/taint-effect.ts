import { notSupported, required, type FieldError } from '../../../foundation/index.js';

/** Effects of taints. */
export const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;

/** Validates the effect of a taint. */
export function validateTaintEffect(errors: FieldError[], path: string, effect: string | undefined): void {
  if (!effect) errors.push(required(path));
  else if (!TAINT_EFFECTS.some((known) => known === effect)) errors.push(notSupported(path, effect, TAINT_EFFECTS));
}
