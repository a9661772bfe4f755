import {
  allErrors,
  goTypeName,
  shownGoValue,
  invalid,
  workOf,
  type FieldError,
  type JsonObject,
  type JsonValue,
  type Steps,
} from '../../foundation/index.js';
import { constraintsOf, validating, type PatternCompiler, type StructuralSchema } from '../../machinery/index.js';
import { withRuleErrors, type RequestContext, type RuleChecker, type SchemaValidator } from '../../registry/index.js';
import type { CustomScale } from './source.js';
import { valueAt } from './value-at.js';

/** The parts that a {@link CustomValidator} works with. */
export interface CustomValidatorParts {
  /** Returns the schema of the whole object. */
  readonly schema: () => StructuralSchema;
  /** Returns the {@link identitySchema}. */
  readonly identity: () => StructuralSchema | undefined;
  readonly compilePattern: PatternCompiler;
  readonly scale: CustomScale | undefined;
  /** Returns the checker of the kind's rules; undefined for a kind without rules. */
  readonly rules: () => RuleChecker | undefined;
}

const MAX_REPLICAS = 2 ** 31 - 1;

/** Fields of every object that the schema of a custom kind may restrict. */
const IDENTITY = ['apiVersion', 'kind', 'metadata'];

/**
 * Returns the part of a schema that restricts the fields of every object: the schema of whole objects has their common
 * schema instead.
 *
 * @param schema the schema as its author wrote it
 */
export function identitySchema({ properties }: StructuralSchema): StructuralSchema | undefined {
  const restricted = [...(properties ?? [])].filter(
    ([name, property]) => IDENTITY.includes(name) && (constraintsOf(property).values || hasFormat(property)),
  );
  if (restricted.length === 0) return undefined;
  return Object.freeze({ type: 'object', presence: 'keep', properties: new Map(restricted) });
}

const hasFormat = ({ format, properties }: StructuralSchema): boolean =>
  format !== undefined || [...(properties?.values() ?? [])].some(hasFormat);

/** Checks custom resources: schema, scale, lists, embedded objects, then the CEL rules. */
export class CustomValidator implements SchemaValidator {
  readonly #parts: CustomValidatorParts;

  constructor(parts: CustomValidatorParts) {
    this.#parts = parts;
  }

  *validate(
    object: JsonObject,
    old: JsonObject | undefined,
    context: RequestContext,
    part?: 'status',
  ): Steps<readonly FieldError[]> {
    const { compilePattern } = this.#parts;
    const identity = this.#parts.identity();
    const options = { compilePattern, old, part };
    const work = workOf(context);
    const errors = allErrors(
      identity === undefined || part !== undefined ? [] : yield* validating(object, identity, options, work),
      yield* validating(object, this.#parts.schema(), options, work),
      this.#scaleErrors(object),
    );
    return yield* withRuleErrors(errors, { rules: this.#parts.rules(), object, old }, context);
  }

  /** Checks the numbers of replicas and the selector that the `scale` subresource shows. */
  #scaleErrors(object: JsonObject): FieldError[] {
    const { scale } = this.#parts;
    if (scale === undefined) return [];
    const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
    const errors = [...replicaErrors(object, specReplicasPath), ...replicaErrors(object, statusReplicasPath)];
    if (labelSelectorPath === undefined || labelSelectorPath === '') return errors;
    const selector = valueAt(object, labelSelectorPath);
    if (selector !== undefined && typeof selector !== 'string')
      errors.push(invalid(labelSelectorPath, '', wrongTypeAt(labelSelectorPath, selector, 'string')));
    return errors;
  }
}

function replicaErrors(object: JsonObject, path: string): FieldError[] {
  const value = valueAt(object, path);
  if (value === undefined) return [];
  if (typeof value !== 'bigint' && (typeof value !== 'number' || !Number.isSafeInteger(value)))
    return [invalid(path, 0, wrongTypeAt(path, value, 'int64'))];
  if (value < 0) return [invalid(path, value, 'should be a non-negative integer')];
  return value > MAX_REPLICAS ? [invalid(path, value, `should be less than or equal to ${MAX_REPLICAS}`)] : [];
}

const wrongTypeAt = (path: string, value: JsonValue, wanted: string): string =>
  `${path} accessor error: ${shownGoValue(value)} is of the type ${goTypeName(value)}, expected ${wanted}`;
