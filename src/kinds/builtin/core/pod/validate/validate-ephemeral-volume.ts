import {
  appendErrors,
  checkAnnotations,
  checkLabels,
  forbidden,
  required,
  type FieldErrorList,
  type Steps,
} from '../../../../../foundation/index.js';
import type { Volume } from '../types.js';

type Template = NonNullable<NonNullable<Volume['ephemeral']>['volumeClaimTemplate']>;

/** Fields of the metadata that a template of a claim may have; the others are absent or empty. */
const TEMPLATE_FIELDS = new Set(['annotations', 'labels', 'creationTimestamp']);

/** Validates the metadata of a claim that a pod creates. */
function* validateTemplateMetadata(
  errors: FieldErrorList,
  path: string,
  metadata: NonNullable<Template['metadata']>,
): Steps<void> {
  appendErrors(errors, yield* checkAnnotations(metadata.annotations, `${path}.annotations`, errors.work));
  appendErrors(errors, yield* checkLabels(metadata.labels, `${path}.labels`, errors.work));
  for (const [field, value] of Object.entries(metadata))
    if (!TEMPLATE_FIELDS.has(field) && value !== undefined && value !== null)
      errors.push(forbidden(`${path}.${field}`, 'cannot be set for an ephemeral volume'));
}

/** Validates a volume whose claim lives as long as the pod. */
export function* validateEphemeralVolume(
  errors: FieldErrorList,
  path: string,
  { volumeClaimTemplate }: NonNullable<Volume['ephemeral']>,
): Steps<void> {
  if (volumeClaimTemplate === undefined) return void errors.push(required(`${path}.volumeClaimTemplate`));
  const { metadata, spec } = volumeClaimTemplate;
  if (metadata !== undefined) yield* validateTemplateMetadata(errors, `${path}.volumeClaimTemplate.metadata`, metadata);
  const at = `${path}.volumeClaimTemplate.spec`;
  const { accessModes = [], resources } = spec;
  if (accessModes.length === 0) errors.push(required(`${at}.accessModes`, 'at least 1 access mode is required'));
  if (resources?.requests?.['storage'] === undefined) errors.push(required(`${at}.resources[storage]`));
}
