import {
  ApiError,
  atOnce,
  cloneJson,
  isArray,
  isJsonObject,
  type ApiObject,
  type Dialect,
  type JsonObject,
  type MutableJsonObject,
} from '../../foundation/index.js';
import { loadExpressions, Pod, StatefulSet } from '../../kinds/index.js';
import { applyMergePatch, DecodeTypeError, readObject } from '../../machinery/index.js';
import {
  ResourceInfo,
  validateNew,
  validateOperationObject,
  type RequestContext,
  type ResourceDefinition,
} from '../../registry/index.js';
import { FeatureGates } from '../../server/index.js';
import { createManualClock } from '../time/manual-clock.js';
import { seededEntropy } from '../time/seeded-entropy.js';
import { templateOf } from './kind-templates.js';
import { optionalFields, valueAt, type OptionalField } from './optional-fields.js';
import { hashOf, seededRandom, type Random } from './random.js';
import { valueOf } from './value.js';

/** Attempts to find a valid object of a kind without a template, whose rules may concern several fields. */
const MAX_ATTEMPTS = 200;

/** An addition to an object: the number of its random choice. */
export type Addition = number;

/** The result of a check. */
interface Checked {
  readonly problems: readonly string[];
  /** The object as the server would store it. */
  readonly prepared: JsonObject;
}

/** Makes valid objects of one kind. Its validation is that of a server with the default feature gates. */
export class Faker {
  readonly #info: ResourceInfo;
  readonly #dialect: Dialect;
  readonly #context: RequestContext;
  /** Checks the pods of a StatefulSet, whose template the server accepts as it is. */
  #pods: Faker | undefined;

  /** Loads what the kind needs. */
  static async load(definition: ResourceDefinition, dialect: Dialect): Promise<Faker> {
    await definition.prepare?.();
    const faker = new Faker(definition, dialect);
    // The code that is loaded may depend on the object: on the rules of a definition, for example.
    await faker.#info.load(faker.#example());
    if (definition.strategy?.load !== undefined) await loadExpressions();
    if (definition === StatefulSet) faker.#pods = await Faker.load(Pod, dialect);
    return faker;
  }

  private constructor(definition: ResourceDefinition, dialect: Dialect) {
    this.#info = new ResourceInfo(definition, dialect);
    this.#dialect = dialect;
    this.#context = {
      user: { username: 'fake', groups: [] },
      dialect,
      clock: createManualClock(),
      entropy: seededEntropy('fake'),
      featureGates: FeatureGates.from({}),
      userAgent: '',
      warn: () => undefined,
    };
  }

  /** Kinds of several versions have different objects for a seed. */
  get #title(): string {
    return `${this.#info.apiVersion} ${this.#info.kind}`;
  }

  /** Returns an object like those that will be checked. */
  #example(): ApiObject {
    const { apiVersion, kind, definition } = this.#info;
    const context = { name: 'example', namespace: 'default', dialect: this.#dialect, random: seededRandom('') };
    return { apiVersion, kind, metadata: {}, spec: {}, ...templateOf(definition, context)?.fields };
  }

  /**
   * Returns an object with its required fields.
   *
   * @throws Error when no valid one is found, with the reasons
   */
  base(seed: string, overrides: JsonObject = {}): MutableJsonObject {
    const random = seededRandom(`${this.#title} ${seed}`);
    const name = `${this.#info.singular.slice(0, 40)}-${random.word(6)}`;
    const template = templateOf(this.#info.definition, {
      ...{ name, random, dialect: this.#dialect },
      namespace: namespaceIn(overrides),
    });
    if (template !== undefined) return this.#object(template.name ?? name, template.fields, overrides);
    let problems: readonly string[] = [];
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const object = this.#object(name, this.#requiredFields(random.child(`attempt ${attempt}`)), overrides);
      problems = this.problemsOf(object);
      if (problems.length === 0) return object;
    }
    throw new Error(
      `fake: no valid ${this.#info.kind} was found: give the fields that the rules of the kind need as overrides. The last one had: ${problems.join('; ')}`,
    );
  }

  /**
   * Adds optional fields, each chosen by its own number, that leave the object valid and that the server keeps. Others
   * are left out. An operation, such as a review, gets none: only performing it shows whether it is valid.
   */
  add(
    object: MutableJsonObject,
    seed: string,
    additions: Iterable<Addition>,
    overrides: JsonObject = {},
  ): MutableJsonObject {
    // An object that is invalid by its overrides shows no effect of an addition.
    if (this.#info.definition.virtual === true || this.problemsOf(object).length > 0) return object;
    let current = object;
    for (const addition of additions) {
      const random = seededRandom(`${this.#title} ${seed} addition ${addition}`);
      const next = cloneJson(current);
      const field = chosen(optionalFields(next, this.#info.schema, overrides), `${seed} ${addition}`);
      field.set(valueOf(field.schema, random, field.name));
      const { problems, prepared } = this.#check(next);
      // A field of a feature that is off is dropped.
      if (problems.length === 0 && valueAt(prepared, field.path) !== undefined) current = next;
    }
    return current;
  }

  /** Returns what the server would refuse. A check that has to wait counts as a refusal. */
  problemsOf(object: JsonObject): readonly string[] {
    return this.#check(object).problems;
  }

  #check(object: JsonObject): Checked {
    const { definition, schema, namespaced } = this.#info;
    try {
      const { object: prepared, unknownFields } = readObject(object, schema, { origin: definition.origin });
      if (unknownFields.length > 0) return { problems: unknownFields.map((path) => `unknown field ${path}`), prepared };
      const candidate = prepared as ApiObject;
      if (definition.virtual === true) {
        // Without a limit on its work, the check does not wait.
        void validateOperationObject(this.#info, candidate, this.#context);
        return { problems: [], prepared };
      }
      if (namespaced) candidate.metadata.namespace ??= 'default';
      candidate.metadata.uid = '00000000-0000-4000-8000-000000000000';
      atOnce(definition.strategy?.defaults?.(candidate, this.#context));
      atOnce(definition.strategy?.prepareForCreate?.(candidate, this.#context));
      const pending = validateNew(this.#info, candidate, this.#context);
      if (pending === undefined) return { problems: this.#podProblems(object), prepared };
      pending.catch(() => undefined);
      return { problems: ['its check has to wait'], prepared };
    } catch (error) {
      if (error instanceof DecodeTypeError || error instanceof ApiError)
        return { problems: [error.message], prepared: {} };
      throw error;
    }
  }

  #podProblems({ spec }: JsonObject): readonly string[] {
    const template = isJsonObject(spec) ? spec['template'] : undefined;
    if (this.#pods === undefined || !isJsonObject(template)) return [];
    const { apiVersion, kind } = this.#pods.#info;
    return this.#pods.problemsOf({ apiVersion, kind, metadata: { name: 'pod' }, spec: template['spec'] });
  }

  #object(name: string, fields: JsonObject, overrides: JsonObject): MutableJsonObject {
    const { apiVersion, kind } = this.#info;
    const named = this.#info.definition.virtual === true ? {} : { name };
    const object = { apiVersion, kind, metadata: named, ...fields };
    return cloneJson(applyMergePatch(object, overrides) as JsonObject);
  }

  #requiredFields(random: Random): JsonObject {
    const { schema } = this.#info;
    const fields: MutableJsonObject = {};
    const required = new Set([...(schema.required ?? []), ...(schema.publishedRequired ?? []), 'spec']);
    for (const [name, field] of schema.properties ?? [])
      if (required.has(name) && !OWN_FIELDS.has(name)) fields[name] = cloneJson(valueOf(field, random, name));
    return fields;
  }
}

/** Fields of every object, and the status, which the server or its controllers write. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

/**
 * Chooses a field by its path, so that the choice of an addition does not change when others are left out: a
 * counterexample can then shrink.
 */
function chosen(fields: readonly OptionalField[], seed: string): OptionalField {
  const weight = ({ path }: OptionalField): number => hashOf(`${seed} ${path.join('.')}`);
  return fields.reduce((best, field) => (weight(field) < weight(best) ? field : best));
}

function namespaceIn({ metadata }: JsonObject): string {
  const namespace = isJsonObject(metadata) && !isArray(metadata) ? metadata['namespace'] : undefined;
  return typeof namespace === 'string' ? namespace : 'default';
}
