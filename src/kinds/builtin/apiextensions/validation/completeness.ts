import {
  FieldErrorList,
  ownMember,
  required,
  type FieldError,
  type Steps,
  type Work,
} from '../../../../foundation/index.js';
import type { JsonSchemaProps } from '../../../../machinery/index.js';
import { schemaIn, sortedEntries, UNITS_OF_SCHEMA } from '../subschemas.js';

/**
 * Returns an error for every field, map and list that conditions at the root mention (`allOf`, `anyOf`, `oneOf`, `not`) and
 * the schema itself does not declare.
 *
 * Source: `validateStructuralCompleteness` of Kubernetes 1.31.
 */
export function* completenessErrors(schema: JsonSchemaProps, path: string, work: Work): Steps<FieldError[]> {
  const walk = new CompletenessWalk(work);
  yield* walk.conditions(schema, schema, path, path);
  return walk.errors;
}

class CompletenessWalk {
  readonly errors = new FieldErrorList();
  readonly #work: Work;

  constructor(work: Work) {
    this.#work = work;
  }

  /** @param declared the schema that must declare what the condition mentions */
  *conditions(condition: JsonSchemaProps, declared: JsonSchemaProps, declaredPath: string, path: string): Steps<void> {
    if (condition.not !== undefined) yield* this.#condition(condition.not, declared, declaredPath, `${path}.not`);
    for (const junctor of ['allOf', 'anyOf', 'oneOf'] as const)
      for (const [index, part] of (condition[junctor] ?? []).entries())
        yield* this.#condition(part, declared, declaredPath, `${path}.${junctor}[${index}]`);
  }

  *#condition(
    condition: JsonSchemaProps,
    declared: JsonSchemaProps | undefined,
    declaredPath: string,
    path: string,
  ): Steps<void> {
    if (this.#work.spend(UNITS_OF_SCHEMA)) yield;
    if (declared === undefined) {
      this.errors.push(required(declaredPath, `because it is defined in ${path}`));
      return;
    }
    yield* this.conditions(condition, declared, declaredPath, path);
    const items = schemaIn(condition.items);
    if (items !== undefined)
      yield* this.#condition(items, schemaIn(declared.items), `${declaredPath}.items`, `${path}.items`);
    const values = schemaIn(condition.additionalProperties);
    if (values !== undefined) {
      const own = schemaIn(declared.additionalProperties);
      const step = '.additionalProperties';
      yield* this.#condition(values, own, declaredPath + step, path + step);
    }
    for (const [name, property] of sortedEntries(condition.properties)) {
      const step = `.properties[${name}]`;
      const own = ownMember(declared.properties ?? {}, name);
      yield* this.#condition(property, own, declaredPath + step, path + step);
    }
  }
}
