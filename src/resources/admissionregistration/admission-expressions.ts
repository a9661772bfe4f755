import type { CelEnvironment, CelLibrary, CelType } from '../../cel/index.js';
import type { RequestContext } from '../../registry/context.js';
import { compiledType, expressions, type Expressions } from '../shared/expressions.js';
import { admissionTypes, type AdmissionTypes } from './expression-types.js';

/** What an expression may use. */
export interface ExpressionScope {
  /** Whether the variable `params` exists. */
  readonly hasParams: boolean;
  /** Whether the authorization checks exist. */
  readonly hasAuthorizer: boolean;
  /** Whether the expression is stored already: it may then use functions that are new in this release. */
  readonly isStored: boolean;
}

/** Compiles the expressions of one policy or webhook configuration. */
export class AdmissionExpressions {
  readonly #expressions: Expressions;
  readonly #types: AdmissionTypes;
  readonly #product: string;
  readonly #checksSelectors: boolean;
  readonly #environments = new Map<string, CelEnvironment>();
  /** The types of the variables of the policy; undefined where there are no such variables. */
  #variables: Record<string, CelType> | undefined;

  /**
   * @param hasVariables whether the expressions can read `variables`
   * @throws Error when CEL is not loaded
   */
  constructor({ dialect, featureGates }: RequestContext, hasVariables: boolean) {
    this.#expressions = expressions();
    this.#types = admissionTypes(this.#expressions, dialect);
    this.#product = dialect.product;
    this.#checksSelectors = featureGates.enabled('AuthorizeWithSelectors');
    this.#variables = hasVariables ? {} : undefined;
  }

  /** Returns the message for an expression that does not compile, or has another type. */
  problem(expression: string, scope: ExpressionScope, types: readonly ResultType[]): string | undefined {
    const { cel } = this.#expressions;
    const resultTypes = types.map((type) => ({ bool: cel.boolType, string: cel.stringType, null: cel.nullType })[type]);
    const compiled = compiledType(this.#environment(scope), expression, resultTypes);
    return typeof compiled === 'string' ? compiled : undefined;
  }

  /**
   * Adds a variable, which later expressions read as `variables.name`.
   *
   * @returns the message for an expression that does not compile; the variable then has a dynamic type
   */
  define(name: string, expression: string, scope: ExpressionScope): string | undefined {
    const { cel } = this.#expressions;
    const compiled = compiledType(this.#environment(scope), expression);
    this.#variables = {
      ...this.#variables,
      [name]: typeof compiled === 'string' ? cel.dynType : declared(compiled, cel),
    };
    this.#environments.clear();
    return typeof compiled === 'string' ? compiled : undefined;
  }

  #environment(scope: ExpressionScope): CelEnvironment {
    const key = `${scope.hasParams} ${scope.hasAuthorizer} ${scope.isStored}`;
    let environment = this.#environments.get(key);
    if (environment === undefined) this.#environments.set(key, (environment = this.#create(scope)));
    return environment;
  }

  #create({ hasParams, hasAuthorizer, isStored }: ExpressionScope): CelEnvironment {
    const { cel, createEnvironment } = this.#expressions;
    const { request, namespaceObject } = this.#types;
    const variables: Record<string, CelType> = {
      object: cel.dynType,
      oldObject: cel.dynType,
      namespaceObject,
      request,
      ...(hasParams ? { params: cel.dynType } : {}),
      ...(hasAuthorizer ? { authorizer: cel.authorizerType, 'authorizer.requestResource': cel.resourceCheckType } : {}),
      ...(this.#variables === undefined
        ? {}
        : { variables: cel.objectType(`${this.#product}.variables`, this.#variables) }),
    };
    return createEnvironment({ variables, libraries: isStored ? this.#storedLibraries() : cel.baseLibraries });
  }

  #storedLibraries(): readonly CelLibrary[] {
    const { storedExpressionLibraries, authorizerSelectorsLibrary } = this.#expressions.cel;
    return this.#checksSelectors
      ? [...storedExpressionLibraries, authorizerSelectorsLibrary]
      : storedExpressionLibraries;
  }
}

/** A type that an expression may have. */
export type ResultType = 'bool' | 'string' | 'null';

const SIMPLE = new Set<CelType['kind']>([
  'bool',
  'bytes',
  'double',
  'duration',
  'int',
  'null',
  'string',
  'timestamp',
  'uint',
]);

/** Returns the type of a variable with this value. Kubernetes declares lists, maps and simple types; others are dynamic. */
function declared(type: CelType, cel: Expressions['cel']): CelType {
  if (SIMPLE.has(type.kind)) return type;
  if (!('parameters' in type)) return cel.dynType;
  const [first = cel.dynType, second = cel.dynType] = type.parameters.map((part) => declared(part, cel));
  if (type.kind === 'list') return cel.listType(first);
  return type.kind === 'map' ? cel.mapType(first, second) : cel.dynType;
}
