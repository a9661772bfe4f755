import {
  appendAll,
  dnsLabel1035Errors,
  dnsSubdomainErrors,
  FieldErrorList,
  invalid,
  isPrintable,
  notSupported,
  required,
  tooMany,
  utf8Length,
  type FieldError,
  type Steps,
} from '../../../../foundation/index.js';
import type { JsonSchemaProps, SchemaExtensions } from '../../../../machinery/index.js';
import { immutableField } from '../../shared/validate.js';
import { extensionsOf } from '../extensions.js';
import type { HubSpec, HubVersion } from '../hub.js';
import { someSchema } from '../subschemas.js';
import type { CustomResourceSubresources } from '../types.js';
import { conversionErrors } from './conversion.js';
import { shownVersions } from './go-values.js';
import { namesErrors } from './names.js';
import { anySchema } from './requirements.js';
import {
  columnErrors,
  schemaErrors,
  selectableFieldErrors,
  subresourceErrors,
  type SchemaContext,
  type SchemaUse,
} from './version.js';

const SCOPES = ['Cluster', 'Namespaced'];
const PATH = 'spec';

/** Checks a spec. */
export function* specErrors(spec: HubSpec, context: SchemaContext): Steps<FieldError[]> {
  const { names, requirements } = context;
  const beyond = versionCountErrors(spec, context);
  if (beyond.length > 0) return beyond;
  const some = (condition: (part: JsonSchemaProps) => boolean): Steps<boolean> =>
    anySchema(spec, (schema) => someSchema(schema, condition, context.work));
  const hasDefaults = yield* some((part) => part.default !== undefined);
  const isStructural =
    requirements.structural ||
    !spec.preserveUnknownFields ||
    hasDefaults ||
    (yield* some((part) => hasExtensions(part, names)));
  const hasOwnSubresources = spec.versions.some(({ subresources }) => subresources !== undefined);
  const ofVersions: FieldError[] = [];
  for (const [index, version] of spec.versions.entries()) {
    appendAll(ofVersions, labelErrors(version.name, `${PATH}.versions[${index}].name`));
    const path = `${PATH}.versions[${index}]`;
    const subresources = hasOwnSubresources ? version.subresources : spec.subresources;
    const use = { hasStatus: hasStatus(subresources), isStructural };
    appendAll(ofVersions, yield* versionErrors(version, path, context, use));
  }
  const common = yield* commonErrors(spec, context, isStructural);
  return [
    ...groupErrors(spec.group),
    ...scopeErrors(spec.scope),
    ...missingSchemaErrors(spec, requirements.schema),
    ...(hasDefaults && spec.preserveUnknownFields
      ? [invalid(`${PATH}.preserveUnknownFields`, true, 'must be false in order to use defaults in the schema')]
      : []),
    ...ofVersions,
    ...versionListErrors(spec),
    ...requiredNameErrors(spec),
    ...namesErrors(spec.names, `${PATH}.names`),
    ...common,
    ...(spec.conversion !== undefined && spec.conversion.strategy !== 'None' && spec.preserveUnknownFields
      ? [
          invalid(
            `${PATH}.conversion.strategy`,
            spec.conversion.strategy,
            'must be None if spec.preserveUnknownFields is true',
          ),
        ]
      : []),
    ...(spec.conversion === undefined ? [] : conversionErrors(spec.conversion, `${PATH}.conversion`, requirements)),
  ];
}

/** Checks the fields of a spec that must not change. */
export function immutableErrors(spec: HubSpec, old: HubSpec, unchangedNames: boolean): FieldError[] {
  const errors = new FieldErrorList();
  if (unchangedNames) {
    immutableField(errors, `${PATH}.scope`, spec.scope, old.scope);
    immutableField(errors, `${PATH}.names.kind`, spec.names.kind, old.names.kind);
  }
  immutableField(errors, `${PATH}.group`, spec.group, old.group);
  immutableField(errors, `${PATH}.names.plural`, spec.names.plural, old.names.plural);
  return errors;
}

/** Returns whether a schema has a vendor extension that only structural schemas may have. */
function hasExtensions(schema: JsonSchemaProps, names: SchemaExtensions): boolean {
  const { mapType: _, ...extensions } = extensionsOf(schema, names);
  return (
    extensions.embeddedResource ||
    extensions.preserveUnknownFields !== undefined ||
    extensions.intOrString ||
    extensions.listMapKeys.length > 0 ||
    extensions.listType !== undefined ||
    extensions.validations.length > 0
  );
}

function groupErrors(group: string): FieldError[] {
  const path = `${PATH}.group`;
  if (group === '') return [required(path)];
  const problems = dnsSubdomainErrors(group);
  if (problems.length > 0) return [invalid(path, group, problems.join(','))];
  return group.includes('.') ? [] : [invalid(path, group, 'should be a domain with at least one dot')];
}

function scopeErrors(scope: string): FieldError[] {
  const path = `${PATH}.scope`;
  if (scope === '') return [required(path)];
  return SCOPES.includes(scope) ? [] : [notSupported(path, scope, SCOPES)];
}

function missingSchemaErrors(spec: HubSpec, isRequired: boolean): FieldError[] {
  if (spec.schema?.openAPIV3Schema !== undefined || (!isRequired && spec.preserveUnknownFields)) return [];
  const detail = isRequired ? 'schemas are required' : 'because otherwise all fields are pruned';
  return spec.versions.flatMap(({ schema, served }, index) =>
    schema?.openAPIV3Schema !== undefined || (!isRequired && !served)
      ? []
      : [required(`${PATH}.versions[${index}].schema.openAPIV3Schema`, detail)],
  );
}

function labelErrors(value: string, path: string): FieldError[] {
  const problems = dnsLabel1035Errors(value);
  return problems.length === 0 ? [] : [invalid(path, value, problems.join(','))];
}

const hasStatus = (subresources: CustomResourceSubresources | undefined): boolean => subresources?.status !== undefined;

function* versionErrors(
  version: HubVersion,
  path: string,
  context: SchemaContext,
  use: Omit<SchemaUse, 'ignoresRuleCost'>,
): Steps<FieldError[]> {
  const { name, deprecated, deprecationWarning, schema, subresources } = version;
  const fields = `${path}.selectableFields`;
  return [
    ...deprecationErrors(deprecated, deprecationWarning).map((problem) =>
      invalid(`${path}.deprecationWarning`, deprecationWarning, problem),
    ),
    ...(yield* schemaErrors(schema, `${path}.schema`, context, {
      ...use,
      ignoresRuleCost: context.requirements.unchangedVersions.has(name),
    })),
    ...subresourceErrors(subresources, `${path}.subresources`),
    ...columnErrors(
      version.additionalPrinterColumns,
      `${path}.additionalPrinterColumns`,
      context.requirements.unchangedColumns.has(name),
      context,
    ),
    ...(yield* fieldsErrors(version, fields, `${path}.schema.openAPIV3Schema`, context, {
      missing: 'selectableFields may only be set when version.schema.openAPIV3Schema is not included',
    })),
  ];
}

/** Checks selectable fields by the schema beside them. */
function* fieldsErrors(
  { selectableFields, schema }: Pick<HubVersion, 'selectableFields' | 'schema'>,
  path: string,
  schemaPath: string,
  { facts }: SchemaContext,
  { missing }: { readonly missing: string },
): Steps<FieldError[]> {
  if (selectableFields.length === 0) return [];
  const props = schema?.openAPIV3Schema;
  if (props === undefined) return [invalid(path, '', missing)];
  const problem = yield* facts.conversionProblem(props);
  return problem === undefined
    ? selectableFieldErrors(selectableFields, yield* facts.structural(props), path)
    : [invalid(schemaPath, '', problem)];
}

const MAX_WARNING_BYTES = 256;

function deprecationErrors(deprecated: boolean, warning: string | undefined): string[] {
  if (warning === undefined) return [];
  if (!deprecated) return ['can only be set for deprecated versions'];
  const problems: string[] = [];
  if (utf8Length(warning) > MAX_WARNING_BYTES) problems.push('must be <= 256 characters long');
  if (warning === '') problems.push('must not be an empty string');
  let index = 0;
  for (const character of warning) {
    if (!isPrintable(character)) {
      problems.push(`must only contain printable UTF-8 characters; non-printable character found at index ${index}`);
      break;
    }
    index += utf8Length(character);
  }
  return problems;
}

/** Checks the number of versions. Versions that are stored already may stay. */
function versionCountErrors({ versions }: HubSpec, { limits, requirements, warn }: SchemaContext): FieldError[] {
  if (versions.length <= limits.versions) return [];
  const error = tooMany(`${PATH}.versions`, versions.length, limits.versions);
  if (!versions.every(({ name }) => requirements.unchangedVersions.has(name))) return [error];
  warn(error.toString());
  return [];
}

/** Checks the versions as a whole. */
function versionListErrors({ versions }: HubSpec): FieldError[] {
  const errors = new FieldErrorList();
  const path = `${PATH}.versions`;
  if (new Set(versions.map(({ name }) => name)).size < versions.length)
    errors.push(invalid(path, shownVersions(versions), 'must contain unique version names'));
  if (versions.filter(({ storage }) => storage).length !== 1)
    errors.push(invalid(path, shownVersions(versions), 'must have exactly one version marked as storage version'));
  return errors;
}

function requiredNameErrors({ version, names }: HubSpec): FieldError[] {
  const errors = version === '' ? [] : labelErrors(version, `${PATH}.version`);
  for (const name of ['plural', 'singular', 'kind', 'listKind'] as const)
    if ((names[name] ?? '') === '') errors.push(required(`${PATH}.names.${name}`));
  return errors;
}

/** Checks what all versions have in common. */
function* commonErrors(spec: HubSpec, context: SchemaContext, isStructural: boolean): Steps<FieldError[]> {
  const anyStatus = hasStatus(spec.subresources) || spec.versions.some((version) => hasStatus(version.subresources));
  return [
    ...(yield* schemaErrors(spec.schema, `${PATH}.validation`, context, {
      hasStatus: anyStatus,
      isStructural,
      ignoresRuleCost: context.requirements.unchangedVersions.has(spec.version),
    })),
    ...subresourceErrors(spec.subresources, `${PATH}.subresources`),
    ...columnErrors(
      spec.additionalPrinterColumns,
      `${PATH}.additionalPrinterColumns`,
      context.requirements.unchangedColumns.has(spec.version),
      context,
    ),
    ...(yield* fieldsErrors(spec, `${PATH}.selectableFields`, `${PATH}.schema.openAPIV3Schema`, context, {
      missing: 'selectableFields may only be set when validations.schema is included',
    })),
  ];
}

/** Checks that a definition does not start to keep unknown fields. An existing one that keeps them may stay so. */
export function preserveErrors(spec: HubSpec, old: HubSpec | undefined, names: SchemaExtensions): FieldError[] {
  if (!spec.preserveUnknownFields || old?.preserveUnknownFields === true) return [];
  const detail = `cannot set to true, set ${names.preserveUnknownFields} to true in spec.versions[*].schema instead`;
  return [invalid(`${PATH}.preserveUnknownFields`, true, detail)];
}
