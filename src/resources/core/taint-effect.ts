import { notSupported, required, type FieldError } from '../../meta/field-error.js';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** What a taint does to pods that do not tolerate it. */
export function validateTaintEffect(errors: FieldError[], path: string, effect: string | undefined): void {
  if (!effect) errors.push(required(path));
  else if (!EFFECTS.includes(effect)) errors.push(notSupported(path, effect, EFFECTS));
}
