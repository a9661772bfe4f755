import type { Steps, Work } from '../../../foundation/index.js';
import type { CelEnvironment, CelLibrary, CelProgram, CelType } from '../../../machinery/index.js';
import type { RequestContext } from '../../../registry/index.js';
import { compiled, expressions, type Expressions } from '../shared/expressions.js';
import { admissionTypes, type AdmissionTypes } from './expression-types.js';

/** The variables and functions that an expression may use. */
export interface ExpressionScope {
  /** Whether the variable `params` exists. */
  readonly hasParams: boolean;
  /** Whether the authorization checks exist. */
  readonly hasAuthorizer: boolean;
  /** Whether `authorizer.requestResource` is one of them. Default true. */
  readonly hasRequestResource?: boolean | undefined;
  /** Whether the expression is stored already: it may then use functions that are new in this release. */
  readonly isStored: boolean;
}

/** The types of the objects that an expression reads; default dynamic. */
export interface ObjectTypes {
  /** Type of `object` and `oldObject`. */
  readonly object?: CelType | undefined;
  readonly params?: CelType | undefined;
}

/** Compiles the expressions of one policy or webhook configuration. */
export class AdmissionExpressions {
  readonly #expressions: Expressions;
  readonly #types: AdmissionTypes;
  readonly #product: string;
  readonly #work: Work;
  readonly #checksSelectors: boolean;
  readonly #objectTypes: ObjectTypes;
  readonly #environments = new Map<string, CelEnvironment>();
  /** The types of the variables that have been defined; undefined where there are no such variables. */
  readonly #variables: Map<string, CelType> | undefined;

  /**
   * @param work counts the work
   * @param hasVariables whether the expressions can read `variables`
   * @throws Error when CEL is not loaded
   */
  constructor(
    { dialect, featureGates }: Pick<RequestContext, 'dialect' | 'featureGates'>,
    work: Work,
    hasVariables: boolean,
    objectTypes: ObjectTypes = {},
  ) {
    this.#expressions = expressions();
    this.#types = admissionTypes(this.#expressions, dialect);
    this.#product = dialect.product;
    this.#work = work;
    this.#checksSelectors = featureGates.enabled('AuthorizeWithSelectors');
    this.#variables = hasVariables ? new Map<string, CelType>() : undefined;
    this.#objectTypes = objectTypes;
  }

  /** Returns the message for an expression that does not compile, or has another type. */
  *problem(expression: string, scope: ExpressionScope, types: readonly ResultType[]): Steps<string | undefined> {
    const program = yield* this.compile(expression, scope, types);
    return typeof program === 'string' ? program : undefined;
  }

  /**
   * Compiles an expression in steps.
   *
   * @param types the types that it may have; undefined for any type
   * @returns the message when it does not compile, or has another type
   */
  *compile(expression: string, scope: ExpressionScope, types?: readonly ResultType[]): Steps<CelProgram | string> {
    const { cel } = this.#expressions;
    const resultTypes = types?.map(
      (type) => ({ bool: cel.boolType, string: cel.stringType, null: cel.nullType })[type],
    );
    return yield* compiled(this.#environment(scope), expression, this.#work, resultTypes);
  }

  /**
   * Adds a variable, which later expressions read as `variables.name`.
   *
   * @returns the program of its expression, or the message when it does not compile; the variable then has a dynamic
   * type
   */
  *define(name: string, expression: string, scope: ExpressionScope): Steps<CelProgram | string> {
    const { cel } = this.#expressions;
    const program = yield* compiled(this.#environment(scope), expression, this.#work);
    // The environments read the variables from this map.
    this.#variables?.set(name, typeof program === 'string' ? cel.dynType : declared(program.type, cel));
    return program;
  }

  #environment(scope: ExpressionScope): CelEnvironment {
    const key = `${scope.hasParams} ${scope.hasAuthorizer} ${scope.hasRequestResource} ${scope.isStored}`;
    let environment = this.#environments.get(key);
    if (environment === undefined) this.#environments.set(key, (environment = this.#create(scope)));
    return environment;
  }

  #create({ hasParams, hasAuthorizer, hasRequestResource = true, isStored }: ExpressionScope): CelEnvironment {
    const { cel, createEnvironment } = this.#expressions;
    const { request, namespaceObject } = this.#types;
    const { object = cel.dynType, params = cel.dynType } = this.#objectTypes;
    const variables: Record<string, CelType> = {
      object,
      oldObject: object,
      namespaceObject,
      request,
      ...(hasParams ? { params } : {}),
      ...(hasAuthorizer ? { authorizer: cel.authorizerType } : {}),
      ...(hasAuthorizer && hasRequestResource ? { 'authorizer.requestResource': cel.resourceCheckType } : {}),
      ...(this.#variables === undefined
        ? {}
        : { variables: { kind: 'object', name: `${this.#product}.variables`, fields: this.#variables } }),
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
