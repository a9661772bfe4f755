/**
 * The compiled schema of a version of a custom kind: made when it is first needed, given up when what is compiled takes
 * too much memory, and made again.
 *
 * @module
 */
import {
  atOnce,
  COMPILED_BYTES,
  runSteps,
  UNBOUNDED_WORK,
  type ArtefactSource,
  type CompiledArtefact,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import {
  prepareSchema,
  SchemaConversion,
  type JsonSchemaProps,
  type SchemaExtensions,
  type StructuralSchema,
} from '../../machinery/index.js';
import type { GivenUpSchema } from '../../registry/index.js';
import { identitySchema } from './validator.js';

/** Schema of a version that declares none: every field is kept. */
const ANYTHING: StructuralSchema = Object.freeze({ type: 'object', presence: 'keep', preserveUnknownFields: true });

/** The parts that are compiled from a schema. */
interface Compiled {
  readonly schema: StructuralSchema;
  /** See {@link identitySchema}. */
  readonly identity: StructuralSchema | undefined;
}

/** The schema of the fields of one version. */
export class CustomSchema implements GivenUpSchema {
  readonly #props: JsonSchemaProps | undefined;
  readonly #extensions: SchemaExtensions;
  readonly #compiled: CompiledArtefact<Compiled>;

  /** @param props the schema as its author wrote it; undefined for none */
  constructor(props: JsonSchemaProps | undefined, extensions: SchemaExtensions, compiled: ArtefactSource) {
    this.#props = props;
    this.#extensions = extensions;
    this.#compiled = compiled.artefact();
  }

  get current(): StructuralSchema {
    return this.#props === undefined ? ANYTHING : this.#parts(this.#props).schema;
  }

  /** Schema of apiVersion, kind, `metadata.name` and `metadata.generateName`; undefined when it restricts none. */
  get identity(): StructuralSchema | undefined {
    return this.#props === undefined ? undefined : this.#parts(this.#props).identity;
  }

  /** Returns the steps that compile the schema; undefined when it is compiled. @param work undefined to ask only */
  preparing(work: Work | undefined): Steps<void> | undefined {
    if (this.#props === undefined || this.#compiled.value !== undefined) return undefined;
    return this.#compileSteps(this.#props, work ?? UNBOUNDED_WORK);
  }

  prepare(work: Work): void | Promise<void> {
    const steps = this.preparing(work);
    return steps === undefined ? undefined : runSteps(work, steps, 'definition');
  }

  *#compileSteps(props: JsonSchemaProps, work: Work): Steps<void> {
    yield* this.#compile(props, work);
  }

  #parts(props: JsonSchemaProps): Compiled {
    return this.#compiled.value ?? atOnce(this.#compile(props, UNBOUNDED_WORK));
  }

  *#compile(props: JsonSchemaProps, work: Work): Steps<Compiled> {
    const conversion = new SchemaConversion(this.#extensions, work);
    const schema = yield* conversion.convert(props);
    const identity = identitySchema(schema);
    yield* prepareSchema(schema, 'user', work);
    return this.#compiled.keep({ schema, identity }, conversion.nodes * COMPILED_BYTES.schemaNode);
  }
}
