import { invalid, required, type FieldErrorList, type Steps } from '../../../../../foundation/index.js';
import type { coreV1 } from '../../../../types/index.js';
import { allOf, each, fields, mandatory } from '../../../shared/field-rules.js';
import type { Volume } from '../types.js';
import { fileMode, fileWithinVolume } from './validate-paths.js';
import { validateFieldRef, validateResourceFieldRef, VOLUME_FIELDS } from './validate-references.js';

type DownwardItems = NonNullable<Volume['downwardAPI']>['items'];

/** Validates the keys that a volume writes as files. */
export const validateItems = each(
  fields<coreV1.KeyToPath>({ key: mandatory(), path: allOf(mandatory(), fileWithinVolume), mode: fileMode }),
);

/**
 * Validates the pod fields that a volume writes as files. Kubernetes reports the path of the volume here, not of the
 * item.
 */
export function* validateDownwardItems(errors: FieldErrorList, path: string, items: DownwardItems = []): Steps<void> {
  for (const { path: target, fieldRef, resourceFieldRef, mode } of items) {
    if (errors.spend()) yield;
    if (!target) errors.push(required(`${path}.path`));
    fileWithinVolume(errors, `${path}.path`, target);
    if (fieldRef !== undefined) {
      validateFieldRef(errors, `${path}.fieldRef`, fieldRef, VOLUME_FIELDS);
      if (resourceFieldRef !== undefined)
        errors.push(invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
    } else if (resourceFieldRef !== undefined)
      validateResourceFieldRef(errors, `${path}.resourceFieldRef`, resourceFieldRef, true);
    else errors.push(required(path, 'one of fieldRef and resourceFieldRef is required'));
    fileMode(errors, `${path}.mode`, mode);
  }
}
