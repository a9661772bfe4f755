import {
  ApiError,
  atOnce,
  isJsonObject,
  shown,
  systemClock,
  systemEntropy,
  type ApiObject,
  type Dialect,
  type JsonObject,
} from '../../../foundation/index.js';
import { DecodeTypeError, readObject } from '../../../machinery/index.js';
import { ResourceInfo, validateNew, type RequestContext, type ResourceDefinition } from '../../../registry/index.js';
import { CustomResourceDefinition } from '../../builtin/apiextensions/custom-resource-definition.js';
import type { CustomResourceDefinitionFields } from '../../builtin/apiextensions/types.js';
import { DEFINITION_KIND, dialectOfDefinition, inDialect } from './definition-dialect.js';
import { readDocuments, type DefinitionSource, type SourceDocument } from './documents.js';

/** A valid custom resource definition with its defaults. */
export type Definition = ApiObject & CustomResourceDefinitionFields;

/** The kind, whose hooks also take objects that are not valid. */
const kind: ResourceDefinition = CustomResourceDefinition;

/** A definition as its author wrote it. */
export interface WrittenDefinition {
  /** Its place, for errors: `config/crd/widgets.yaml, document 2`. Empty for an object. */
  readonly place: string;
  /** The dialect of its names. */
  readonly dialect: Dialect;
  /** The definition, with the vendor extensions of that dialect. */
  readonly value: JsonObject;
}

/**
 * Reads the definitions of a source. Documents of other kinds are errors, except in a directory, where they are ignored.
 *
 * @throws TypeError for a document that is not a definition, and for a source without definitions; Error when a file
 *   cannot be read
 */
export async function readDefinitions(source: DefinitionSource): Promise<WrittenDefinition[]> {
  const documents = await readDocuments(source);
  const definitions = documents
    .filter(({ value, fromDirectory }) => value['kind'] === DEFINITION_KIND || !fromDirectory)
    .map(writtenDefinition);
  if (definitions.length === 0)
    throw new TypeError(
      `${typeof source === 'string' && !source.includes('\n') ? source : 'the source'}: there is no ${DEFINITION_KIND}`,
    );
  return definitions;
}

function writtenDefinition({ place, value }: SourceDocument): WrittenDefinition {
  const dialect = dialectOfDefinition(value);
  if (value['kind'] === DEFINITION_KIND && dialect !== undefined)
    return { place, dialect, value: inDialect(value, dialect) };
  const { apiVersion, kind: found } = value;
  throw new TypeError(
    `${at(place)}only a ${DEFINITION_KIND} of version v1 declares kinds, got kind ${shown(found)}, apiVersion ${shown(apiVersion)}`,
  );
}

const at = (place: string): string => (place === '' ? '' : `${place}: `);

/** Returns the name of a definition, with its place, for errors. */
export function nameOfDefinition({ value, place }: WrittenDefinition): string {
  const name = isJsonObject(value['metadata']) ? value['metadata']['name'] : undefined;
  const named = typeof name === 'string' ? `${DEFINITION_KIND} ${name}` : `${DEFINITION_KIND} without a name`;
  return place === '' ? `the ${named}` : `the ${named} (${place})`;
}

/** Returns the object to create on a server of a dialect. The server checks it. */
export function definitionObject({ value }: WrittenDefinition, dialect: Dialect): ApiObject {
  const object = inDialect(value, dialect);
  return (isJsonObject(object['metadata']) ? object : { ...object, metadata: {} }) as ApiObject;
}

/** The result of {@link checkedDefinition}. */
export interface CheckedDefinition {
  /** The definition with its defaults; undefined when there are problems. */
  readonly definition?: Definition | undefined;
  readonly problems: readonly string[];
}

/** Fills in the defaults of a definition and checks it as the API does. */
export async function checkedDefinition(written: WrittenDefinition): Promise<CheckedDefinition> {
  const { dialect, value } = written;
  const info = new ResourceInfo(kind, dialect);
  const context = contextOf(dialect);
  try {
    const { object, unknownFields } = readObject(value, info.schema, { origin: 'builtin' });
    if (unknownFields.length > 0) return { problems: unknownFields.map((path) => `unknown field ${path}`) };
    const read = object as ApiObject;
    atOnce(kind.strategy?.defaults?.(read, context));
    atOnce(kind.strategy?.prepareForCreate?.(read, context));
    await kind.strategy?.load?.(read);
    await validateNew(info, read, context);
    return { definition: read as Definition, problems: [] };
  } catch (error) {
    if (error instanceof DecodeTypeError) return { problems: [error.message] };
    if (error instanceof ApiError) return { problems: problemsOf(error) };
    throw error;
  }
}

/** The checks do not depend on time or randomness; the type of their context does. */
const contextOf = (dialect: Dialect): RequestContext => ({
  user: { username: '', groups: [] },
  dialect,
  clock: systemClock,
  entropy: systemEntropy,
  featureGates: { enabled: () => false },
  userAgent: '',
  warn: () => undefined,
});

function problemsOf({ message, status }: ApiError): readonly string[] {
  const causes = status.details?.causes ?? [];
  return causes.length === 0 ? [message] : causes.map((cause) => `${cause.field ?? ''}: ${cause.message}`);
}
