import {
  notSupported,
  parseQuantity,
  required,
  type Dialect,
  type FieldError,
  type FieldErrorList,
  type Steps,
} from '../../../../foundation/index.js';
import type { coreV1 } from '../../../types/index.js';
import { validateAccessModes, VOLUME_MODES } from '../../shared/access-modes.js';
import { validateAmount, validatePositiveAmount } from '../../shared/resource-names.js';
import { validateLabelSelector } from '../../shared/selectors/validate-label-selector.js';
import { validateClassName } from '../../shared/volume-class.js';
import { validateSources } from './data-source.js';

type Spec = coreV1.PersistentVolumeClaimSpec;

/** Options of {@link validateClaimSpec}. The last two accept what stored claims of former releases have. */
export interface ClaimSpecRules {
  readonly dialect: Dialect;
  /** Whether `volumeAttributesClassName` is validated: while its feature is enabled, or the old claim has one. */
  readonly attributesClass: boolean;
  readonly allowInvalidSelectorValues?: boolean | undefined;
  readonly allowInvalidSourceGroup?: boolean | undefined;
}

/** Adds the errors of the spec of a PersistentVolumeClaim, or of the template of one. */
export function* validateClaimSpec(
  errors: FieldErrorList,
  path: string,
  spec: Spec,
  rules: ClaimSpecRules,
): Steps<void> {
  const { accessModes = [], resources = {}, storageClassName = '', volumeMode, volumeAttributesClassName = '' } = spec;
  if (accessModes.length === 0) errors.push(required(`${path}.accessModes`, 'at least 1 access mode is required'));
  yield* validateLabelSelector(errors, `${path}.selector`, spec.selector, {
    allowInvalidValues: rules.allowInvalidSelectorValues === true,
  });
  yield* validateAccessModes(errors, `${path}.accessModes`, accessModes);
  validateRequest(errors, `${path}.resources[storage]`, resources.requests?.['storage'], rules.dialect);
  if (storageClassName !== '') validateClassName(errors, `${path}.storageClassName`, storageClassName);
  if (volumeMode !== undefined && !VOLUME_MODES.includes(volumeMode))
    errors.push(notSupported(`${path}.volumeMode`, volumeMode, VOLUME_MODES));
  validateSources(errors, path, spec, rules.allowInvalidSourceGroup === true);
  if (volumeAttributesClassName !== '' && rules.attributesClass)
    validateClassName(errors, `${path}.volumeAttributesClassName`, volumeAttributesClassName);
}

function validateRequest(errors: FieldError[], path: string, amount: string | undefined, dialect: Dialect): void {
  if (amount === undefined) return void errors.push(required(path));
  const before = errors.length;
  validatePositiveAmount(errors, path, amount);
  if (errors.length === before) validateAmount(errors, path, { name: 'storage', amount }, dialect);
}

/** Returns the warnings for amounts of storage with a fraction of a byte. */
export function amountWarnings(path: string, { resources = {} }: Spec): string[] {
  const warnings: string[] = [];
  for (const kind of ['requests', 'limits'] as const) {
    const amount = resources[kind]?.['storage'];
    if (amount !== undefined && hasFraction(amount))
      warnings.push(
        `${path}.resources.${kind}[storage]: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`,
      );
  }
  return warnings;
}

function hasFraction(amount: string): boolean {
  const { unscaled, scale } = parseQuantity(amount) ?? { unscaled: 0n, scale: 0 };
  return scale < 0 && unscaled % 10n ** BigInt(-scale) !== 0n;
}
