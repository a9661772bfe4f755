/**
 * Parses and validates the options in the query of a request or in the body of a delete.
 *
 * @module
 */
import {
  appendAll,
  errors,
  FieldError,
  FieldErrorList,
  forbidden,
  hexNumber,
  invalid,
  isJsonObject,
  notSupported,
  ownMember,
  required,
  stringOrEmpty,
  type JsonValue,
  type Work,
} from '../../foundation/index.js';
import { DecodeTypeError, readInSlices, type StructuralSchema } from '../../machinery/index.js';
import {
  checkFieldSelector,
  type DeleteOptions,
  type PropagationPolicy,
  type ResourceInfo,
  type WatchOptions,
} from '../../registry/index.js';
import type { DecodedDocument } from '../codec/index.js';
import { deleteOptionsSchema } from '../codec/meta-schemas.js';
import type { FieldValidation } from '../codec/strict.js';
import { parseFlag, parseInteger } from '../operations/list-options.js';
import type { RequestScope } from '../requests/request-scope.js';

/** Options of create, update and patch. */
export interface RequestWriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string | undefined;
  readonly fieldValidation: FieldValidation;
  /** The same as the client sent it; undefined when it did not. */
  readonly requestedFieldValidation: string | undefined;
  /** Patch only: whether an apply takes fields from other managers. */
  readonly force: boolean | undefined;
}

const LEVELS = ['', 'Ignore', 'Strict', 'Warn'] as const;
const POLICIES = ['Foreground', 'Background', 'Orphan'] as const;
const MAX_MANAGER_LENGTH = 128;

/**
 * Parses the options of a list or watch of a kind.
 *
 * @throws ApiError 400 for invalid numbers and selectors, and for fields that the kind does not support in selectors
 */
export function listOptions(scope: Pick<RequestScope, 'listOptions'>, info: ResourceInfo): WatchOptions {
  const options = scope.listOptions;
  if (options.fieldSelector !== undefined) checkFieldSelector(info, options.fieldSelector);
  return options;
}

function dryRunProblems(values: readonly string[]): FieldError[] {
  // The contract allows an empty value, which means no dry run; Kubernetes does not.
  const wrong = values.filter((value) => value !== '');
  return wrong.every((value) => value === 'All') ? [] : [notSupported('dryRun', wrong, ['All'])];
}

function managerProblems(manager: string): FieldError[] {
  const problems = new FieldErrorList();
  if (manager.length > MAX_MANAGER_LENGTH)
    problems.push(new FieldError('TooLong', 'fieldManager', manager, `may not be longer than ${MAX_MANAGER_LENGTH}`));
  for (let index = 0; index < manager.length; index += 1) {
    const code = manager.charCodeAt(index);
    if (code < 0x20 || code === 0x7f) {
      const character = `U+${hexNumber(code, 4).toUpperCase()}`;
      problems.push(invalid('fieldManager', manager, `invalid character ${character} (at position ${index})`));
      break;
    }
  }
  return problems;
}

const NO_WRITE_OPTIONS: RequestWriteOptions = Object.freeze({
  dryRun: false,
  fieldManager: undefined,
  fieldValidation: 'Warn',
  requestedFieldValidation: undefined,
  force: undefined,
});

/**
 * Parses the options of a write.
 *
 * @param kind `CreateOptions`, `UpdateOptions` or `PatchOptions`, for messages
 * @throws ApiError 422 with the causes that Kubernetes gives
 */
export function writeOptions(
  queryText: string,
  query: () => URLSearchParams,
  kind: string,
  metaGroup: string,
  patch?: { readonly needsFieldManager: boolean; readonly takesForce: boolean },
): RequestWriteOptions {
  if (queryText === '' && patch?.needsFieldManager !== true) return NO_WRITE_OPTIONS;
  const parameters = query();
  const dryRun = parameters.getAll('dryRun');
  const manager = parameters.get('fieldManager') ?? '';
  const level = parameters.get('fieldValidation') ?? '';
  const force = parameters.get('force');
  const problems = new FieldErrorList();
  if (patch?.needsFieldManager === true && manager === '')
    problems.push(required('fieldManager', 'is required for apply patch'));
  if (patch?.takesForce === false && force !== null)
    problems.push(forbidden('force', 'may not be specified for non-apply patch'));
  appendAll(problems, managerProblems(manager));
  appendAll(problems, dryRunProblems(dryRun));
  if (!LEVELS.some((known) => known === level)) problems.push(notSupported('fieldValidation', level, LEVELS));
  if (problems.length > 0) throw errors.invalid({ group: metaGroup, kind }, '', problems);
  return {
    dryRun: dryRun.includes('All'),
    fieldManager: manager === '' ? undefined : manager,
    fieldValidation: level === '' ? 'Warn' : (level as FieldValidation),
    requestedFieldValidation: level === '' ? undefined : level,
    force: force === null ? undefined : parseFlag(force),
  };
}

/** The result of {@link deleteOptions} without a body and a query. */
export const NO_DELETE_OPTIONS: DeleteOptions = Object.freeze({
  gracePeriodSeconds: undefined,
  preconditions: undefined,
  orphanDependents: undefined,
  propagationPolicy: undefined,
  dryRun: false,
});

/** A DeleteOptions body before validation. */
export interface RawDeleteOptions {
  gracePeriodSeconds?: number | undefined;
  preconditions?: { uid?: string | undefined; resourceVersion?: string | undefined } | undefined;
  orphanDependents?: boolean | undefined;
  propagationPolicy?: string | undefined;
  dryRun?: readonly string[] | undefined;
}

/**
 * Parses the options of a delete: from its body, or from its query without a body. Kubernetes 1.31 ignores the whole
 * query when there is a body; here `dryRun` always counts, so that a requested dry run never deletes.
 *
 * @param body the decoded body; undefined without a body
 * @throws ApiError 400 for a body that is not a DeleteOptions, 422 for invalid values
 */
export async function deleteOptions(
  body: DecodedDocument | undefined,
  query: URLSearchParams,
  metaGroup: string,
  work: Work,
): Promise<DeleteOptions> {
  const raw = body === undefined ? fromQuery(query) : await fromBody(body, work);
  const dryRun = [...(raw.dryRun ?? []), ...query.getAll('dryRun')];
  return checkedDeleteOptions({ ...raw, dryRun }, metaGroup);
}

/** Checks the options of a delete. @throws ApiError 422 for invalid values */
export function checkedDeleteOptions(raw: RawDeleteOptions, metaGroup: string): DeleteOptions {
  const problems = new FieldErrorList();
  const { propagationPolicy, orphanDependents, dryRun = [] } = raw;
  if (propagationPolicy !== undefined && orphanDependents !== undefined) {
    problems.push(
      invalid('propagationPolicy', propagationPolicy, 'orphanDependents and deletionPropagation cannot be both set'),
    );
  }
  if (propagationPolicy !== undefined && !POLICIES.some((known) => known === propagationPolicy)) {
    problems.push(notSupported('propagationPolicy', propagationPolicy, [...POLICIES, 'nil']));
  }
  appendAll(problems, dryRunProblems(dryRun));
  if (problems.length > 0) throw errors.invalid({ group: metaGroup, kind: 'DeleteOptions' }, '', problems);
  return {
    gracePeriodSeconds: raw.gracePeriodSeconds,
    preconditions: raw.preconditions,
    orphanDependents,
    propagationPolicy: propagationPolicy as PropagationPolicy | undefined,
    dryRun: dryRun.includes('All'),
  };
}

/**
 * Parses the options in the query. The preconditions are the parameters `uid` and `resourceVersion`; for a
 * deletecollection the latter is a list option, too.
 */
function fromQuery(query: URLSearchParams): RawDeleteOptions {
  const grace = query.get('gracePeriodSeconds');
  const orphan = query.get('orphanDependents');
  const policy = query.get('propagationPolicy');
  const uid = query.get('uid') ?? '';
  const resourceVersion = query.get('resourceVersion') ?? '';
  return {
    ...(grace === null ? {} : { gracePeriodSeconds: parseInteger(grace) }),
    ...(orphan === null ? {} : { orphanDependents: parseFlag(orphan) }),
    ...(policy === null ? {} : { propagationPolicy: policy }),
    ...(uid === '' && resourceVersion === ''
      ? {}
      : { preconditions: { ...(uid === '' ? {} : { uid }), ...(resourceVersion === '' ? {} : { resourceVersion }) } }),
  };
}

async function fromBody({ value, asWritten }: DecodedDocument, work: Work): Promise<RawDeleteOptions> {
  if (!isJsonObject(value))
    throw errors.badRequest(
      "the object provided is unrecognized (must be of type DeleteOptions): couldn't get version/kind; json parse error: json: cannot unmarshal into Go value",
    );
  const { kind, apiVersion } = value;
  if (kind !== undefined && kind !== '' && kind !== 'DeleteOptions') {
    throw errors.badRequest(
      `${stringOrEmpty(kind)} in version ${JSON.stringify(stringOrEmpty(apiVersion))} cannot be handled as a DeleteOptions: no kind ${JSON.stringify(kind)} is registered`,
    );
  }
  const sent = asWritten?.() ?? value;
  const read = async (input: JsonValue): Promise<RawDeleteOptions> => {
    const options = { origin: 'builtin', asWritten: asWritten !== undefined } as const;
    return (await readInSlices(input, deleteOptionsSchema, options, work)).object;
  };
  try {
    // Which of several wrong members is reported depends on the whole body.
    return await read(knownMembers(sent, deleteOptionsSchema)).catch(() => read(sent));
  } catch (error) {
    if (!(error instanceof DecodeTypeError)) throw error;
    throw errors.badRequest(`DeleteOptions in version "v1" cannot be handled as a DeleteOptions: ${error.message}`);
  }
}

/**
 * Returns a value without the members that the schema does not know: they are ignored anyway, and listing a hundred thousand
 * of them takes long.
 */
function knownMembers(value: JsonValue, schema: StructuralSchema): JsonValue {
  if (!isJsonObject(value) || schema.properties === undefined) return value;
  const known: Record<string, JsonValue> = {};
  for (const [name, property] of schema.properties) {
    const member = ownMember(value, name);
    if (member !== undefined) known[name] = knownMembers(member, property);
  }
  return known;
}
