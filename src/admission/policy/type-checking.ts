/**
 * Checks the types of a policy's expressions against the kinds that the policy names. Expressions with errors are stored
 * and evaluated all the same: the warnings are in the status of the policy.
 *
 * Source: `admission/plugin/policy/validating/typechecking.go` of Kubernetes 1.31.
 *
 * @module
 */
import {
  appendAll,
  compareText,
  inSlices,
  kindText,
  parseApiVersion,
  SharedWork,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import { AdmissionExpressions, type admissionregistrationV1, type ExpressionScope } from '../../kinds/index.js';
import { declaredType, type CelType } from '../../machinery/index.js';
import { ResourceInfo, type RequestContext, type ResourceDefinition } from '../../registry/index.js';

type PolicySpec = admissionregistrationV1.ValidatingAdmissionPolicySpec;
type ExpressionWarning = admissionregistrationV1.ExpressionWarning;
type Rule = admissionregistrationV1.NamedRuleWithOperations;

/** The parts that {@link checkTypes} needs. */
export interface TypeCheckingContext extends Pick<RequestContext, 'dialect' | 'featureGates'> {
  /** The served kinds, in all versions. */
  readonly definitions: readonly ResourceDefinition[];
}

/** Maximum number of kinds that one rule adds. */
const MAX_KINDS = 10;
const COMPILATION = 'compilation failed: ';

/**
 * Returns the warnings about the expressions of a policy. CEL must be loaded.
 *
 * @throws Error when a kind cannot be loaded
 */
export async function checkTypes(spec: PolicySpec, context: TypeCheckingContext): Promise<ExpressionWarning[]> {
  const infos = context.definitions.map((definition) => new ResourceInfo(definition, context.dialect));
  const params = await paramsType(spec, infos);
  const checkers: KindChecker[] = [];
  const work = new SharedWork();
  for (const info of await inSlices(work, kindsToCheck(spec, infos, work))) {
    const checker = new KindChecker(info, await typeOf(info), params, context, work);
    await inSlices(work, checker.define(spec.variables ?? []));
    checkers.push(checker);
  }
  return inSlices(work, warnings(spec.validations ?? [], checkers));
}

function* warnings(
  validations: NonNullable<PolicySpec['validations']>,
  checkers: readonly KindChecker[],
): Steps<ExpressionWarning[]> {
  const found: ExpressionWarning[] = [];
  for (const [index, { expression, messageExpression = '' }] of validations.entries()) {
    const path = `spec.validations[${index}]`;
    appendAll(found, yield* warning(`${path}.expression`, expression, checkers));
    if (messageExpression !== '')
      appendAll(found, yield* warning(`${path}.messageExpression`, messageExpression, checkers));
  }
  return found;
}

function* warning(fieldRef: string, expression: string, checkers: readonly KindChecker[]): Steps<ExpressionWarning[]> {
  const texts: string[] = [];
  for (const checker of checkers) {
    const text = yield* checker.problem(expression);
    if (text !== undefined) texts.push(text);
  }
  return texts.length === 0 ? [] : [{ fieldRef, warning: texts.join('\n') }];
}

/** Checks the expressions of a policy for one kind. */
class KindChecker {
  readonly #kind: string;
  readonly #expressions: AdmissionExpressions;
  readonly #scope: ExpressionScope;

  constructor(
    info: ResourceInfo,
    object: CelType | undefined,
    params: { readonly type: CelType | undefined } | undefined,
    context: TypeCheckingContext,
    work: Work,
  ) {
    this.#kind = kindText(info);
    this.#expressions = new AdmissionExpressions(context, work, true, { object, params: params?.type });
    // As in Kubernetes, `authorizer.requestResource` is not known here.
    this.#scope = { hasParams: params !== undefined, hasAuthorizer: true, hasRequestResource: false, isStored: true };
  }

  /** Adds the variables of the policy. */
  *define(variables: NonNullable<PolicySpec['variables']>): Steps<void> {
    for (const { name, expression } of variables) yield* this.#expressions.define(name, expression, this.#scope);
  }

  /** Returns the text about an expression that does not fit the kind. */
  *problem(expression: string): Steps<string | undefined> {
    const program = yield* this.#expressions.compile(expression, this.#scope);
    if (typeof program !== 'string') return undefined;
    return `${this.#kind}: ${program.startsWith(COMPILATION) ? program.slice(COMPILATION.length) : program}\n`;
  }
}

/** Returns the type of the objects of a kind; undefined for objects whose fields are not known. */
async function typeOf(info: ResourceInfo): Promise<CelType | undefined> {
  await info.definition.prepare?.();
  return declaredType(info.schema, info.kind, true)?.type;
}

/** Returns the type of the parameters; undefined when the policy has none, or their kind is not served. */
async function paramsType(
  { paramKind: { apiVersion = '', kind = '' } = {} }: PolicySpec,
  infos: readonly ResourceInfo[],
): Promise<{ readonly type: CelType | undefined } | undefined> {
  if (kind === '' || parseApiVersion(apiVersion) === undefined) return undefined;
  const found = infos.find((info) => info.apiVersion === apiVersion && info.kind === kind);
  return found === undefined ? undefined : { type: await typeOf(found) };
}

/** Returns the kinds that the rules name without wildcards, sorted by group, version and kind. */
function* kindsToCheck(
  { matchConstraints }: PolicySpec,
  infos: readonly ResourceInfo[],
  work: Work,
): Steps<ResourceInfo[]> {
  const found = new Map<string, ResourceInfo>();
  for (const rule of matchConstraints?.resourceRules ?? []) {
    const kinds = yield* kindsOfRule(rule, infos, work);
    for (const info of kinds) found.set(kindText(info), info);
    // Kubernetes looks at no further rules either.
    if (kinds.length === MAX_KINDS) break;
  }
  return [...found.values()].sort(
    (a, b) => compareText(a.group, b.group) || compareText(a.version, b.version) || compareText(a.kind, b.kind),
  );
}

const isExact = (value: string): boolean => !value.includes('*');

function* kindsOfRule(
  { apiGroups = [], apiVersions = [], resources = [] }: Rule,
  infos: readonly ResourceInfo[],
  work: Work,
): Steps<ResourceInfo[]> {
  if (!apiGroups.every(isExact) || !apiVersions.every(isExact)) return [];
  const wanted = resources.filter((resource) => isExact(resource) && !resource.includes('/'));
  const found: ResourceInfo[] = [];
  for (const group of [...apiGroups].sort(compareText))
    for (const version of [...apiVersions].sort(compareText))
      for (const resource of [...wanted].sort(compareText)) {
        if (work.spend(infos.length)) yield;
        // For the core group, Kubernetes finds the resource in every group.
        appendAll(
          found,
          infos.filter(
            (info) => info.resource === resource && info.version === version && (group === '' || info.group === group),
          ),
        );
      }
  return found.slice(0, MAX_KINDS);
}
