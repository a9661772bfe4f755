/**
 * The options of an operation as the objects that admission sees (`meta/v1` CreateOptions, UpdateOptions and
 * DeleteOptions).
 *
 * @module
 */
import { definedOnly, type JsonObject } from '../../foundation/index.js';
import type { AdmissionOperation, DeleteOptions, RequestContext } from '../../registry/index.js';
import type { WriteParameters } from './write.js';

const typed = (kind: string, { dialect }: RequestContext) => ({
  kind,
  apiVersion: `meta.${dialect.groupSuffix}/v1`,
});

const dryRunOf = (dryRun: boolean | undefined): readonly string[] | undefined =>
  dryRun === true ? ['All'] : undefined;

/** Returns the options of a create or update. A patch has those of the update, or of the create, that it becomes. */
export function writeOptionsObject(
  operation: AdmissionOperation,
  { dryRun, fieldManager, requestedFieldValidation: fieldValidation }: WriteParameters,
  context: RequestContext,
): JsonObject {
  const kind = operation === 'CREATE' ? 'CreateOptions' : 'UpdateOptions';
  return definedOnly({ ...typed(kind, context), dryRun: dryRunOf(dryRun), fieldManager, fieldValidation });
}

/** Returns the options of a delete. */
export function deleteOptionsObject(
  { gracePeriodSeconds, preconditions, orphanDependents, propagationPolicy, dryRun }: DeleteOptions,
  context: RequestContext,
): JsonObject {
  return definedOnly({
    ...typed('DeleteOptions', context),
    ...{ gracePeriodSeconds, orphanDependents, propagationPolicy },
    preconditions: preconditions && definedOnly(preconditions),
    dryRun: dryRunOf(dryRun),
  });
}
