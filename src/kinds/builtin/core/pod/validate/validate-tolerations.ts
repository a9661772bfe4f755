import {
  forbidden,
  invalid,
  labelValue,
  notSupported,
  qualifiedName,
  type FieldError,
  type FieldErrorList,
  type Steps,
} from '../../../../../foundation/index.js';
import { nameErrors } from '../../../shared/validate.js';
import { validateTaintEffect } from '../../taint-effect.js';
import type { PodSpec } from '../types.js';

type Toleration = NonNullable<PodSpec['tolerations']>[number];

function validateOperator(errors: FieldError[], path: string, toleration: Toleration): void {
  const { operator = '', value = '' } = toleration;
  if (operator === 'Equal' || operator === '') {
    const problems = labelValue(value);
    if (problems.length > 0) errors.push(invalid(path, value, problems.join(';')));
  } else if (operator === 'Exists') {
    if (value !== '') errors.push(invalid(path, toleration, "value must be empty when `operator` is 'Exists'"));
  } else errors.push(notSupported(path, operator, ['Equal', 'Exists']));
}

/** Validates the tolerations of a pod. */
export function* validateTolerations(
  errors: FieldErrorList,
  path: string,
  tolerations: readonly Toleration[] = [],
): Steps<void> {
  for (const [index, toleration] of tolerations.entries()) {
    if (errors.spend()) yield;
    const at = `${path}[${index}]`;
    const { key, operator = '', effect = '', tolerationSeconds } = toleration;
    if (key) nameErrors(errors, `${at}.key`, key, qualifiedName(key));
    else if (operator !== 'Exists') {
      errors.push(
        invalid(
          `${at}.operator`,
          operator,
          'operator must be Exists when `key` is empty, which means "match all values and all keys"',
        ),
      );
    }
    if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
      errors.push(invalid(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    }
    validateOperator(errors, `${at}.operator`, toleration);
    if (effect) validateTaintEffect(errors, `${at}.effect`, effect);
  }
}

/** Returns all fields of a toleration except the seconds, as one text. */
const identityOf = ({ key = '', operator = '', value = '', effect = '' }: Toleration): string =>
  JSON.stringify([key, operator, value, effect]);

/** Validates an update: tolerations may be added; of existing ones only `tolerationSeconds` may change. */
export function* validateTolerationUpdate(
  errors: FieldErrorList,
  path: string,
  tolerations: readonly Toleration[],
  old: readonly Toleration[],
): Steps<void> {
  const present = new Set(tolerations.map(identityOf));
  if (!old.every((existing) => present.has(identityOf(existing)))) {
    return void errors.push(forbidden(path, 'existing toleration can not be modified except its tolerationSeconds'));
  }
  yield* validateTolerations(errors, path, tolerations);
}
