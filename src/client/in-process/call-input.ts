/**
 * The input of calls: objects and options of the caller.
 *
 * @module
 */
import { definedOnly, type ApiObject, type JsonValue, type Work } from '../../foundation/index.js';
import { DecodeTypeError } from '../../machinery/index.js';
import type { DeleteOptions, RequestContext } from '../../registry/index.js';
import {
  reportStrict,
  strictDecoding,
  unhandledBody,
  type ReadAnObject,
  type ResourceOperations,
} from '../../server/index.js';
import type { DeleteParameters, WriteParameters } from '../client.js';
import type { AuditedCall } from './call-audit.js';

/**
 * Reads an object of the caller, a large one in slices.
 *
 * @throws ApiError 400 for a value of the wrong type or a forbidden unknown field; a promise rejects with it
 */
export function readInput(
  operations: ResourceOperations,
  object: unknown,
  context: RequestContext,
  { fieldValidation = 'Warn' }: WriteParameters,
): ApiObject | Promise<ApiObject> {
  const { info } = operations.store;
  const report = ({ object: input, unknownFields }: ReadAnObject): ApiObject => {
    const problems = { duplicates: [], duplicateForm: 'path', unknownFields } as const;
    reportStrict(strictDecoding(problems, fieldValidation, info), context);
    return input;
  };
  const refuse = (error: unknown): never => {
    if (!(error instanceof DecodeTypeError)) throw error;
    throw unhandledBody(info, info.kind, error.message);
  };
  try {
    const reading = operations.read(object as JsonValue, context);
    return reading instanceof Promise ? reading.then(report, refuse) : report(reading);
  } catch (error) {
    return refuse(error);
  }
}

/** Records the options of a deletion, if there are any. */
export function sentOptions(
  { audit }: Pick<AuditedCall, 'audit'>,
  { dryRun, ...parameters }: DeleteParameters,
  work: Work,
): void | Promise<void> {
  if (audit === undefined) return undefined;
  const { gracePeriodSeconds, propagationPolicy, preconditions } = parameters;
  const options = definedOnly({ gracePeriodSeconds, propagationPolicy, preconditions });
  const dry = dryRun === true ? { dryRun: ['All'] } : {};
  if (Object.keys(options).length + Object.keys(dry).length === 0) return undefined;
  return audit.sent({ kind: 'DeleteOptions', apiVersion: 'v1', ...options, ...dry }, work);
}

/** Returns the options of a deletion. */
export function deleteOptions(parameters: DeleteParameters): DeleteOptions {
  const { gracePeriodSeconds, propagationPolicy, preconditions, dryRun } = parameters;
  return { gracePeriodSeconds, propagationPolicy, preconditions, dryRun };
}
