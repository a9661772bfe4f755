import {
  DEFAULT_DEFINITION_LIMITS,
  definedOnly,
  dnsSubdomain,
  groupName,
  inSlices,
  nextTurn,
  systemGroup,
  UNBOUNDED_WORK,
  whenReady,
  type Dialect,
  type FieldError,
  type Steps,
  type SystemGroup,
} from '../../../foundation/index.js';
import type { CheckedSchema, RuleChecks } from '../../../machinery/index.js';
import { importCelRules } from '../../../machinery/late.js';
import type {
  NamedObject,
  RequestContext,
  Strategy,
  SubresourceStrategy,
  Unvalidated,
} from '../../../registry/index.js';
import { isNew } from '../shared/is-new.js';
import { withCondition } from './conditions.js';
import type { CustomResourceDefinitionFields, CustomResourceDefinitionSpec } from './types.js';
import type { DefinitionChecks } from './validation/index.js';

/** The API group of the kind. */
export const API_EXTENSIONS_GROUP: SystemGroup = systemGroup('apiextensions');

type Definition = NamedObject & CustomResourceDefinitionFields;

/** A definition that its schema has decoded: the fields that are always written are there. */
const decoded = (object: Unvalidated<Definition>): Definition => object as Definition;

type Validation = typeof import('./validation/index.js');

let validation: Validation | undefined;
let ruleChecks: RuleChecks | undefined;

/** Loads the validation, and the compiler of CEL for a definition with rules. */
function load({ spec }: Definition): Promise<void> | undefined {
  const hasRules = spec.versions?.some(({ schema }) => schema !== undefined && mayHaveRules(schema));
  if (validation !== undefined && (hasRules !== true || ruleChecks !== undefined)) return undefined;
  return (async () => {
    // The engine compiles and runs a module in one piece: what comes next has a turn of its own.
    validation ??= await apart(import('./validation/index.js'));
    if (hasRules !== true) return;
    const { loadRules, ruleChecks: checksOf } = await apart(importCelRules());
    ruleChecks ??= checksOf(await apart(loadRules()));
  })();
}

async function apart<Loaded>(loading: Promise<Loaded>): Promise<Loaded> {
  const loaded = await loading;
  await nextTurn();
  return loaded;
}

/** Matches the extension of rules. Its name depends on the dialect. */
const RULES = /^x-[a-z-]+-validations$/;

/** Members of a schema beyond which it may have rules: they are looked for in one piece. */
const MAX_MEMBERS = 4_000;

/** Returns false for a schema without rules. */
function mayHaveRules(schema: object): boolean {
  const open: object[] = [schema];
  let left = MAX_MEMBERS;
  for (let part = open.pop(); part !== undefined; part = open.pop())
    for (const name in part) {
      left -= 1;
      if (left < 0 || RULES.test(name)) return true;
      const value: unknown = Reflect.get(part, name);
      if (typeof value === 'object' && value !== null) open.push(value);
    }
  return false;
}

function loaded(): Validation {
  if (validation === undefined) throw new Error('the validation of custom resource definitions is not loaded');
  return validation;
}

/** Returns the loaded checks of CEL rules. A definition without rules needs none. */
const loadedChecks = (): RuleChecks => ruleChecks ?? loaded().noRuleChecks;

const checksFor = ({ dialect, warn, definitionLimits, work = UNBOUNDED_WORK }: RequestContext): DefinitionChecks => ({
  dialect,
  ruleChecks: loadedChecks(),
  limits: { ...DEFAULT_DEFINITION_LIMITS, ...definedOnly(definitionLimits ?? {}) },
  warn,
  work,
});

/** Checks a definition in slices. The rules of a valid one are kept for its kind, so that each is compiled once. */
function checkedErrors(
  object: Unvalidated<Definition>,
  context: RequestContext,
  check: (checks: DefinitionChecks) => Steps<FieldError[]>,
): FieldError[] | Promise<FieldError[]> {
  const found: CheckedSchema[] = [];
  const checks: DefinitionChecks = { ...checksFor(context), collected: (schema) => found.push(schema) };
  return whenReady(inSlices(checks.work, check(checks), 'definition'), (errors) => {
    const { names, group } = decoded(object).spec;
    if (errors.length === 0) context.checkedRules?.keep(`${names.plural}.${group}`, found);
    return errors;
  });
}

/** Returns the finalizer that keeps a deleted definition until its objects are gone. */
export const cleanupFinalizer = (dialect: Dialect): string =>
  `customresourcecleanup.${groupName(API_EXTENSIONS_GROUP, dialect)}`;

/** Returns the name of the version that objects are stored in; undefined when there is none. */
const storageVersion = ({ versions }: CustomResourceDefinitionSpec): string | undefined =>
  versions?.find(({ storage }) => storage)?.name;

function setDefaults({ spec, status }: Definition): void {
  const { names } = spec;
  // Kinds are letters of ASCII, so no locale matters.
  if ((names.singular ?? '') === '' && names.kind !== '') names.singular = names.kind.toLowerCase();
  if ((names.listKind ?? '') === '' && names.kind !== '') names.listKind = `${names.kind}List`;
  spec.conversion ??= { strategy: 'None' };
  const { webhook } = spec.conversion;
  // Kubernetes's internal form has no place for a webhook without fields.
  if (webhook?.clientConfig === undefined && webhook?.conversionReviewVersions === null) delete spec.conversion.webhook;
  const stored = storageVersion(spec);
  if ((status.storedVersions ?? []).length === 0 && stored !== undefined) status.storedVersions = [stored];
}

/** Adds the storage version to the versions in which objects may be stored. */
function recordStorageVersion({ spec, status }: Definition): void {
  const stored = storageVersion(spec);
  const known = status.storedVersions ?? [];
  if (stored !== undefined && !known.includes(stored)) status.storedVersions = [...known, stored];
}

/** The behaviour of the main resource. */
export const definitionStrategy: Strategy<Definition> = {
  countsGeneration: true,
  allowUnconditionalUpdate: false,
  finalizerDomains: 'any',
  nameRuleOf(object) {
    const { spec } = decoded(object);
    const wanted = `${spec.names.plural}.${spec.group}`;
    // The name and its parts never change.
    if (!isNew(object)) return dnsSubdomain;
    return (name, prefix) => [
      ...dnsSubdomain(name, prefix),
      ...(name === wanted ? [] : ['must be spec.names.plural+"."+spec.group']),
    ];
  },
  load: (object) => load(decoded(object)),
  defaults: (object) => setDefaults(decoded(object)),
  prepareForCreate(object) {
    const definition = decoded(object);
    definition.status = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null };
    recordStorageVersion(definition);
  },
  prepareForUpdate(object, old) {
    const definition = decoded(object);
    definition.status = { ...old.status };
    recordStorageVersion(definition);
  },
  validateNew: (object, context) =>
    checkedErrors(object, context, (checks) => loaded().validateDefinition(object, checks)),
  validateChange: (object, old, context) =>
    checkedErrors(object, context, (checks) => loaded().validateDefinitionUpdate(object, old, checks)),
  finalization: {
    begin(definition, { clock, dialect }) {
      const { metadata, status } = definition;
      const finalizer = cleanupFinalizer(dialect);
      const finalizers = metadata.finalizers ?? [];
      if (!finalizers.includes(finalizer)) metadata.finalizers = [...finalizers, finalizer];
      status.conditions = withCondition(
        status.conditions,
        {
          type: 'Terminating',
          status: 'True',
          reason: 'InstanceDeletionPending',
          message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
        },
        clock.now(),
      );
    },
    isFinalized: () => true,
  },
};

/**
 * The behaviour of the status. As in Kubernetes, a write to the status may also change the metadata: the controller
 * removes its finalizer this way.
 */
export const definitionStatusStrategy: SubresourceStrategy<Definition> = {
  resetFields: [['metadata'], ['spec']],
  prepareForUpdate(object, old) {
    decoded(object).spec = old.spec;
  },
  validateUpdate: ({ status }) => loaded().validateDefinitionStatus(status),
};
