import { errors, isSteps, stringOrEmpty, type JsonObject, type Steps } from '../../../foundation/index.js';
import type { Managers } from '../merge/managers.js';
import type { Pace } from '../merge/pace.js';
import { apply, update, type IgnoredFields, type Write } from '../merge/updater.js';
import type { TypedConvert, VersionedObject } from '../merge/versions.js';
import { TypedError } from '../typed/errors.js';
import type { Type } from '../typed/type.js';
import { asMap } from '../typed/value.js';
import type { ApplyOperation, ApplyResult, FieldManagerRule, UpdateOperation } from './chain.js';
import { failure, objectText } from './failure.js';

/** Facts about the kind that the innermost rule needs. */
export interface StructuredMergeOptions {
  readonly apiVersion: string;
  readonly type: Type;
  readonly convert: TypedConvert | undefined;
  /** Ignored fields by subresource; empty for the main resource. */
  readonly resetFields: Readonly<Record<string, IgnoredFields>> | undefined;
}

/** The innermost rule: passes the typed operation to the merge rules. */
export class StructuredMerge implements FieldManagerRule {
  readonly #options: StructuredMergeOptions;

  constructor(options: StructuredMergeOptions) {
    this.#options = options;
  }

  /** Keeps all ownership when the object does not match its schema, which should not happen. */
  *update(operation: UpdateOperation): Steps<Managers> {
    try {
      return yield* update(this.#write(operation), this.#versioned(operation.object));
    } catch (error) {
      if (error instanceof TypedError) return operation.managers;
      throw error;
    }
  }

  *apply(operation: ApplyOperation): Steps<ApplyResult> {
    const { live, applied, force } = operation;
    const { apiVersion, type } = this.#options;
    const specified = applied['apiVersion'];
    if (specified !== apiVersion) {
      throw errors.badRequest(
        `Incorrect version specified in apply patch. Specified patch version: ${stringOrEmpty(specified)}, expected: ${apiVersion}`,
      );
    }
    if ((asMap(applied['metadata'])?.['managedFields'] ?? null) !== null)
      throw errors.badRequest('metadata.managedFields must be nil');
    yield* checkTyped(operation.pace, 'patch', applied, type);
    yield* checkTyped(operation.pace, 'live', live, type);
    const outcome = yield* apply(this.#write(operation), this.#versioned(applied), force);
    return { object: outcome.object?.object, managers: outcome.managers };
  }

  #versioned(object: JsonObject): VersionedObject {
    return { object, apiVersion: this.#options.apiVersion, type: this.#options.type };
  }

  #write({ pace, live, managers, identifier, manager, subresource }: UpdateOperation | ApplyOperation): Write {
    const { convert, resetFields } = this.#options;
    return {
      pace,
      live: this.#versioned(live),
      managers,
      identifier,
      manager,
      subresource,
      convert,
      ignored: resetFields?.[subresource],
    };
  }
}

/** Stored objects may have duplicate items, applied objects may not. */
function* checkTyped(pace: Pace, what: 'patch' | 'live', object: JsonObject, type: Type): Steps<void> {
  try {
    const validating = pace.validate(object, type, { allowDuplicates: what === 'live' });
    if (isSteps(validating)) yield* validating;
  } catch (error) {
    if (!(error instanceof TypedError)) throw error;
    throw failure(`failed to create typed ${what} object (${objectText(object)}): ${error.message}`, error);
  }
}
