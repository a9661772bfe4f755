import {
  aBoolean,
  aCount,
  aFunction,
  aName,
  aPositiveDuration,
  aText,
  checkedElsewhere,
  checkOptions,
  either,
  listOf,
  matching,
  messageOf,
  nested,
  oneOf,
  shown,
  suggestion,
  type OptionCheck,
  type OptionChecks,
} from '../../foundation/index.js';
import { changedType, compileSchema } from '../../machinery/index.js';
import type {
  Column,
  DeclaredResource,
  Deprecation,
  JsonPathColumn,
  Lifecycle,
  PartSubresource,
  ResourceDefinition,
  ResourceNames,
  ServerKind,
} from './definition.js';
import type { Strategy, SubresourceStrategy } from './strategy.js';
import { resourceVerbs } from './verbs.js';

const LABEL = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const aLabel = matching(
  'lower-case letters, digits and "-", as in widgets',
  (value) => typeof value === 'string' && LABEL.test(value),
);
const aGroup = matching(
  'the name of an API group, a domain such as shop.example',
  (value) => value === '' || (typeof value === 'string' && value.length < 254 && SUBDOMAIN.test(value)),
);
const aSystemGroup = matching(
  'systemGroup(…)',
  (value) => typeof value === 'object' && value !== null && 'system' in value,
);
const resetFields = listOf(listOf(aName, 'a list of names'), 'a list of paths, such as [["status"]]');

/** Checks for the members of a strategy. */
export const strategyChecks: OptionChecks<Strategy> = {
  nameRule: aFunction,
  nameRuleOf: aFunction,
  allowCreateOnUpdate: aBoolean,
  allowUnconditionalUpdate: aBoolean,
  countsGeneration: aBoolean,
  deleteReturnsObject: aBoolean,
  deleteCollectionReturnsStatus: aBoolean,
  orphansDependents: aBoolean,
  ttl: aPositiveDuration,
  finalizerDomains: oneOf('qualified', 'any'),
  resetFields,
  load: aFunction,
  defaults: aFunction,
  prepareForCreate: aFunction,
  prepareForUpdate: aFunction,
  validate: aFunction,
  validateNew: aFunction,
  validateChange: aFunction,
  validateUpdate: aFunction,
  canonicalize: aFunction,
  warnings: aFunction,
  finalization: nested({ begin: aFunction, isFinalized: aFunction }, ['begin', 'isFinalized']),
  gracePeriodSeconds: aFunction,
};

/** Checks for the members of a column. */
export const columnChecks: OptionChecks<Column & JsonPathColumn> = {
  name: aName,
  type: oneOf('string', 'integer', 'number', 'boolean', 'date'),
  format: aText,
  description: aText,
  priority: aCount('levels'),
  cell: aFunction,
  jsonPath: matching(
    'a JSONPath that begins with ".", such as .spec.size',
    (value) => typeof value === 'string' && value.startsWith('.'),
  ),
};

const aColumn: OptionCheck = (value, path) => {
  const has = (name: string): boolean => typeof value === 'object' && value !== null && name in value;
  if (has('cell') && has('jsonPath')) return `the option ${path} must have cell or jsonPath, not both`;
  return nested(columnChecks, ['name', 'type', has('jsonPath') ? 'jsonPath' : 'cell'])(value, path);
};

const partChecks: OptionChecks<PartSubresource> = {
  verbs: listOf(oneOf('get', 'update', 'patch'), 'a list of verbs'),
  strategy: nested(
    { resetFields, prepareForUpdate: aFunction, validateUpdate: aFunction } satisfies OptionChecks<SubresourceStrategy>,
    ['prepareForUpdate'],
  ),
};

const aDefinition = matching('a kind that defineResource returned', isDefinition);

const operationChecks = { verbs: listOf(oneOf('create'), 'a list of verbs'), operation: aDefinition };
const viewChecks = {
  verbs: listOf(oneOf('get', 'update', 'patch'), 'a list of verbs'),
  view: aDefinition,
  show: aFunction,
  write: aFunction,
};

const aSubresource: OptionCheck = (value, path) => {
  const has = (name: string): boolean => typeof value === 'object' && value !== null && name in value;
  if (has('operation')) return nested(operationChecks, ['verbs', 'operation'])(value, path);
  if (has('view')) return nested(viewChecks, ['verbs', 'view', 'show', 'write'])(value, path);
  return nested(partChecks, ['verbs', 'strategy'])(value, path);
};

/** Returns a check for an object whose names and values each pass a check. */
const recordOf =
  (name: OptionCheck, check: OptionCheck): OptionCheck =>
  (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return `the option ${path} must be an object, got ${shown(value)}`;
    for (const [key, item] of Object.entries(value)) {
      const problem = name(key, `${path}: the name ${key}`) ?? check(item, `${path}[${JSON.stringify(key)}]`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };

const aSelectable = matching(
  'the path of a field of the kind; every kind has metadata.name and metadata.namespace',
  (value) => value !== '' && value !== 'metadata.name' && value !== 'metadata.namespace',
);

const isText = (value: unknown, form: RegExp): boolean => typeof value === 'string' && form.test(value);

const aRelease = matching('a release such as 1.31', (value) => isText(value, /^[0-9]+\.[0-9]+$/));

const namesChecks: OptionChecks<ResourceNames> = {
  singular: aLabel,
  listKind: aName,
  shortNames: listOf(aLabel),
  categories: listOf(aLabel),
};

/** Checks for the options of a kind. */
export const definitionChecks: OptionChecks<DeclaredResource> = {
  group: either(aSystemGroup, aGroup),
  version: checkedElsewhere,
  kind: checkedElsewhere,
  plural: checkedElsewhere,
  scope: oneOf('Namespaced', 'Cluster'),
  schema: checkedElsewhere,
  names: nested(namesChecks),
  columns: listOf(aColumn, 'a list of columns'),
  subresources: recordOf(aLabel, aSubresource),
  selectableFields: recordOf(aSelectable, aFunction),
  strategy: nested(strategyChecks),
  perform: aFunction,
  conversion: nested({ hub: aDefinition, toHub: aFunction, fromHub: aFunction }, ['hub', 'toHub', 'fromHub']),
  deprecation: either(
    nested({ warning: aName } satisfies OptionChecks<Extract<Deprecation, { warning: string }>>, ['warning']),
    nested(
      {
        since: aName,
        removal: aName,
        replacement: nested({ version: aName, kind: aName }, ['version', 'kind']),
      } satisfies OptionChecks<Extract<Deprecation, { since: string }>>,
      ['since', 'removal'],
    ),
  ),
};

/** Options that were beside the others once, and where they are now. */
const moved: ReadonlyMap<string, string> = new Map([
  ...Object.keys(namesChecks).map((name): [string, string] => [name, `names.${name} now`]),
  ['description', 'the description of the schema now: schema: () => z.object({ … }).describe("…")'],
  ['virtual', 'gone: a kind with perform is not stored'],
  ['verbs', 'for kinds of the server: leave it out, and refuse requests by authorization or an admission plugin'],
  ['lifecycle', 'for kinds of the server: leave it out'],
  ['storagePrefix', 'for kinds of the server: leave it out'],
]);

/** Checks for the options of the server's own kinds. */
const serverKindChecks: OptionChecks<ServerKind> = {
  ...definitionChecks,
  ...namesChecks,
  verbs: listOf(oneOf(...resourceVerbs), 'a list of verbs'),
  lifecycle: nested(
    {
      introduced: aRelease,
      deprecated: aRelease,
      removed: aRelease,
      warned: aRelease,
    } satisfies OptionChecks<Lifecycle>,
    ['introduced'],
  ),
  virtual: aBoolean,
  storagePrefix: matching(
    'a path without a slash at its ends, such as shop.example/widgets',
    (value) => typeof value === 'string' && /^[^/]+(\/[^/]+)*$/.test(value),
  ),
  structural: aFunction,
  givenUpSchema: checkedElsewhere,
  storedVersions: checkedElsewhere,
  validator: aFunction,
  terminating: aBoolean,
  publishedFrom: aFunction,
  prepare: aFunction,
  fieldRefusal: aText,
  featureGate: aName,
  origin: oneOf('builtin', 'user'),
};

const REQUIRED = ['group', 'version', 'kind', 'plural', 'scope', 'schema'] as const;

/** Returns whether a value has the required options of a kind. */
function isDefinition(value: unknown): value is ResourceDefinition {
  return typeof value === 'object' && value !== null && REQUIRED.every((name) => name in value);
}

const labelOf = (definition: object): string =>
  'kind' in definition && typeof definition.kind === 'string' ? `defineResource(${definition.kind})` : 'defineResource';

/**
 * Checks what the author of a kind declares, except for its schema.
 *
 * @throws TypeError that names the option and says what it must be
 */
export function checkDeclaration(definition: DeclaredResource): void {
  if (typeof definition === 'object' && definition !== null) {
    const name = Object.keys(definition).find((candidate) => moved.has(candidate));
    if (name !== undefined) throw new TypeError(`${labelOf(definition)}: the option ${name} is ${moved.get(name)}`);
  }
  checkOptionsOf(definition, definitionChecks);
}

/**
 * Checks the definition of a kind, which may be one of the server, except for its schema.
 *
 * @throws TypeError that names the option and says what it must be
 */
export const checkDefinition = (definition: ServerKind): void => checkOptionsOf(definition, serverKindChecks);

function checkOptionsOf(definition: ServerKind, checks: Parameters<typeof checkOptions>[2]): void {
  const subject = typeof definition === 'object' && definition !== null ? labelOf(definition) : 'defineResource';
  checkOptions(subject, definition, checks);
  const missing = REQUIRED.find((name) => definition[name] === undefined);
  if (missing !== undefined) throw new TypeError(`${subject}: the option ${missing} is required`);
  checkNames(definition);
  const contradiction = contradictionOf(definition);
  if (contradiction !== undefined) throw new TypeError(`${subject}: ${contradiction}`);
}

/** Checks the options that every author meets first; the messages are short. */
function checkNames({ version, kind, plural, schema }: ServerKind): void {
  if (!isText(version, /^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$/))
    throw new TypeError(`version must look like v1 or v1beta1, got ${shown(version)}`);
  if (!isText(kind, /^[A-Z][A-Za-z0-9]{0,62}$/)) throw new TypeError(`kind must be in CamelCase, got ${shown(kind)}`);
  if (!isText(plural, LABEL)) throw new TypeError(`plural must be a lower-case DNS label, got ${shown(plural)}`);
  if (typeof schema !== 'function')
    throw new TypeError('schema must be a function that returns the schema, such as () => z.object({ … })');
}

/** Options of stored kinds that a virtual kind must not have. */
const ONLY_STORED = ['conversion', 'subresources', 'selectableFields', 'columns', 'storagePrefix'] as const;

/** Returns the first contradiction between options; undefined when they are consistent. */
function contradictionOf(definition: ServerKind): string | undefined {
  const { perform, virtual = perform !== undefined, verbs, conversion, scope, subresources = {} } = definition;
  if (verbs !== undefined && (verbs.length === 0 || new Set(verbs).size < verbs.length))
    return 'the option verbs must name at least one verb, and each once; leave it out for all';
  if (!virtual && perform !== undefined)
    return 'the option perform is for kinds that are not stored: leave it out, or leave out virtual';
  if (virtual) {
    const stored = ONLY_STORED.find((name) => definition[name] !== undefined);
    if (stored !== undefined)
      return `the option ${stored} is for kinds that are stored: leave it out, or leave out ${perform === undefined ? 'virtual' : 'perform'}`;
    if (verbs !== undefined && verbs.some((verb) => verb !== 'create'))
      return 'the option verbs of a virtual kind can only be ["create"]: nothing is stored that another verb could work on';
  }
  for (const [name, subresource] of Object.entries(subresources)) {
    if ('operation' in subresource && subresource.operation.virtual !== true)
      return `the option subresources[${JSON.stringify(name)}].operation must be a kind with perform, whose objects are not stored`;
  }
  return conversion === undefined ? undefined : conversionProblem(conversion.hub, scope);
}

function conversionProblem(hub: ResourceDefinition, scope: ResourceDefinition['scope']): string | undefined {
  if (hub.conversion !== undefined)
    return 'the option conversion.hub must be the version that is stored: it has a conversion itself';
  if (hub.virtual === true) return 'the option conversion.hub must be a kind that is stored: it is virtual';
  return hub.scope === scope ? undefined : `the option scope must be that of conversion.hub, ${hub.scope}`;
}

/** Fields that every object has. The server provides their schema. */
const COMMON = ['apiVersion', 'kind', 'metadata'] as const;

/**
 * Builds the schema of a kind and checks it. A schema that the option `structural` replaces is only a type, and is not
 * checked further.
 *
 * @throws TypeError that names the field and says how to correct it
 */
export function checkSchema(definition: ResourceDefinition): void {
  const subject = labelOf(definition);
  let schema: unknown;
  try {
    schema = definition.schema();
  } catch (error) {
    throw new TypeError(
      `${subject}: the option schema threw: ${error instanceof Error ? error.message : shown(error)}`,
      { cause: error },
    );
  }
  if (typeof schema !== 'object' || schema === null || !('_zod' in schema))
    throw new TypeError(`${subject}: the option schema must return a zod (version 4) type, got ${shown(schema)}`);
  if (definition.structural !== undefined) return;
  let fields: ReadonlyMap<string, unknown> | undefined;
  try {
    const { type, properties } = compileSchema(definition.schema());
    if (type === 'object') fields = properties ?? new Map();
  } catch (error) {
    throw new TypeError(`${subject}: the option schema cannot be compiled: ${messageOf(error)}`, { cause: error });
  }
  if (fields === undefined)
    throw new TypeError(`${subject}: the option schema must be an object type, such as z.object({ spec: … })`);
  const common = COMMON.find((name) => fields.has(name));
  if (common !== undefined)
    throw new TypeError(
      `${subject}: the option schema must not have the field ${common}: every object has it, and the server checks it; leave it out`,
    );
  const changed = changedType(definition.schema());
  if (changed !== undefined)
    throw new TypeError(
      `${subject}: the option schema changes the type of a value, but an object is stored as the client sent it: ${changed}; describe the type that is sent, and check it with refine`,
    );
  if (definition.subresources?.['status'] !== undefined && !fields.has('status')) {
    throw new TypeError(
      `${subject}: the option subresources has "status", but the schema has no field status${suggestion('status', fields.keys())}; add status: z.object({ … }).optional(), or leave the subresource out`,
    );
  }
}
